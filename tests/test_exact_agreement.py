"""All formalisms as one and the same rational function."""

import json

import numpy as np
import pytest

import dalembert as da
from dalembert import exact_agreement
from dalembert.cli import main
from dalembert.exact_agreement import agree_exactly

EIGHT = {"newton_euler", "world_spatial", "screw_form", "augmented_body", "homogeneous",
         "active_chain", "gibbs_appell", "kane"}  # fmt: skip


def random_phrase(seed):
    rng = np.random.default_rng([17, seed])
    letters = seed % 2 == 0
    words, bodies = [], []
    for k in range(1, int(rng.integers(2, 4)) + 1):
        if rng.random() < 0.4:
            angle = rng.choice(["90deg", "al", "0.4", "30deg"])
            words.append(f"R{rng.choice(list('XYZ'))}K({angle})")
        length = f"L{k}" if letters else f"{rng.uniform(0.2, 1):.3f}"
        words += [f"{rng.choice(list('RRRT'))}{rng.choice(list('XYZ'))}()",
                  f"T{rng.choice(list('XYZ'))}K({length})"]  # fmt: skip
        m, d, i = (f"M{k}", f"D{k}", f"I{k}") if letters else ("1.3", "0.17", "0.09")
        bodies.append(f"body {k}: M={m}, D=({d},0.1,0), I=({i},0.2,0.3,0.01,0,0.02);")
    return ",".join(words) + ";" + "".join(bodies)


@pytest.mark.parametrize("seed", range(20))
def test_all_formalisms_are_identical_on_random_robots(seed):
    found = agree_exactly(da.load(random_phrase(seed)))
    assert found.ok, found.different
    assert set(found.formalisms) == EIGHT
    assert found.proof == "polynomials"


@pytest.mark.parametrize("name", ["puma560", "stanford", "report6r", "panda"])
def test_all_formalisms_are_identical_on_known_robots(name):
    found = agree_exactly(getattr(da.robots, name)())
    assert found.ok and set(found.formalisms) == EIGHT
    assert found.proof == "field"


def test_a_wrong_formalism_is_found(monkeypatch):
    traced = exact_agreement.trace_quantity

    def wrong(m, name, method, **options):
        f = traced(m, name, method, **options)
        if method == "kane":
            from dataclasses import replace

            x = f.graph.mul(f.results[0], f.graph.lift(2))
            return replace(f, results=(x, *f.results[1:]))
        return f

    monkeypatch.setattr(exact_agreement, "trace_quantity", wrong)
    found = agree_exactly(da.robots.planar2r())
    assert found.different == ("kane",) and "differs" in str(found)


def test_the_command_line_says_how_it_is_known(capsys):
    assert main(["agree", "robot:planar2r", "--exact", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["ok"] and found["proof"] == "polynomials"
    assert main(["agree", "robot:fourbar", "--exact"]) == 2
    assert "loops or constraints" in capsys.readouterr().err


def test_acceleration_energy_is_the_function_whose_slopes_are_forces():
    m = da.robots.puma560().with_gravity((0, 0, 0))
    rng = np.random.default_rng(3)
    q, qd, qdd = rng.normal(size=(3, 6))
    tau, h = da.inverse_dynamics(m, q, qd, qdd), 1e-4
    for k, e in enumerate(np.eye(6) * h):
        up, down = (da.acceleration_energy(m, q, qd, qdd + s * e) for s in (1, -1))
        assert (up - down)[()] / (2 * h) == pytest.approx(tau[k], abs=1e-7)


def test_the_active_chain_gives_accelerations():
    m = da.robots.puma560()
    rng = np.random.default_rng(3)
    q, qd, tau = rng.normal(size=(3, 6))
    found = da.forward_dynamics(m, q, qd, tau, method="active_chain")
    np.testing.assert_allclose(found, da.forward_dynamics(m, q, qd, tau), rtol=1e-9, atol=1e-9)
