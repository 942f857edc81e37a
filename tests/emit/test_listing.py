"""Listings: what they say is what the quantity is, counted as the header says."""

import json
import re

import numpy as np
import pytest

import dalembert as da
from dalembert.algorithms.regressor import parameter_columns, parameter_vector
from dalembert.compute import program_of
from dalembert.emit.dialect import LISTING
from dalembert.emit.names import Names, comment, identifier
from dalembert.expr.ops import OPS
from dalembert.listing import listing_text
from mechanisms import random_mechanisms
from peers import PEERDATA, absent
from symoro import base, evaluate, rx90, symmetric
from sympybotics import sympybotics

LINE = re.compile(r" *(\d+)  ([A-Za-z][A-Za-z0-9_]*) = (.*)")


def lines(text: str) -> list[tuple[str, str]]:
    """Return the assignments of a listing; every other line is empty or a remark."""
    found = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            number, name, right = LINE.fullmatch(line).groups()
            assert int(number) == len(found) + 1
            found.append((name, right))
    names = [name for name, _ in found]
    assert len(set(names)) == len(names)
    return found


def run(text: str, m: da.Mechanism, inputs: dict, values: dict) -> dict[str, float]:
    known = {f"{port}{k + 1}": float(x) for port, v in inputs.items() for k, x in enumerate(v)}
    return evaluate(lines(text), known | values)


QUANTITIES = {
    "inverse_dynamics": ("q", "qd", "qdd"),
    "bias": ("q", "qd"),
    "mass_matrix": ("q",),
    "forward_dynamics": ("q", "qd", "tau"),
}
OUTPUT = {"inverse_dynamics": "tau", "bias": "h", "mass_matrix": "M", "forward_dynamics": "qdd"}


@pytest.mark.parametrize("name", QUANTITIES)
def test_a_listing_evaluates_to_the_quantity(name):
    m = da.robots.puma560()
    rng = np.random.default_rng(4)
    inputs = {port: rng.normal(size=6) for port in QUANTITIES[name]}
    found = run(listing_text(m, name), m, inputs, {})
    expected = np.ravel(getattr(da, name)(m, *inputs.values()))
    places = [f"{i}{j}" for i in range(1, 7) for j in range(1, 7)]
    places = places if name == "mass_matrix" else [str(i) for i in range(1, 7)]
    values = [found[OUTPUT[name] + p] for p in places]
    assert np.allclose(values, expected, rtol=1e-10, atol=1e-10 * np.abs(expected).max())


@pytest.mark.parametrize("test", ["test_puma_dh_num_geo_kin_dyn", "test_puma_mdh_num_geo_kin_dyn"])
@pytest.mark.parametrize("kind", ["standard", "base", "given"])
def test_listings_closed_forms_and_regressors_agree_with_sympybotics(test, kind):
    """Its numbers have gravity in them, which the listings of SYMORO have not."""
    file = PEERDATA / "sympybotics_puma560_expected.json"
    if not file.exists():
        absent(str(file))
    case = json.loads(file.read_text())[test]
    m, _ = sympybotics(case, "dynparm_test")
    inputs = {port: case[f"{d}q_test"] for port, d in (("q", ""), ("qd", "d"), ("qdd", "dd"))}
    tau, g = np.ravel(case["tau_pcorke"]), np.ravel(case["g_pcorke"])
    scale = np.abs(tau).max()
    assert np.abs(g).max() > 0.1 * scale
    columns = "base" if kind == "base" else "standard"
    base = da.base_parameters(m, "none")
    phi = base.values(m, "none") if kind == "base" else parameter_vector(m, "none")
    names = base.names if kind == "base" else [c.symbol() for c in parameter_columns(m, "none")]
    known = dict(zip(names, map(float, phi), strict=True))
    for name, ports, wanted in (("inverse_dynamics", inputs, tau), ("gravity", {"q": 0}, g)):
        state = {port: inputs[port] for port in ports}
        found = run(listing_text(m, name, kind), m, state, known)
        values = [found.get(f"{'tau' if name != 'gravity' else 'g'}{k}", 0.0) for k in range(1, 7)]
        np.testing.assert_allclose(values, wanted, atol=1e-10 * scale)
    eq = da.equations(m)
    np.testing.assert_allclose(eq.evaluate({}, *inputs.values()), tau, atol=1e-10 * scale)
    Y = eq.regressor(base=kind == "base", drives="none")
    values = Y.evaluate({}, *inputs.values()) @ [float(x) for x in phi]
    np.testing.assert_allclose(values, tau, atol=1e-10 * scale)
    kernel = da.regressor(m, *inputs.values(), drives="none", columns=columns)
    np.testing.assert_allclose(kernel @ [float(x) for x in phi], tau, atol=1e-10 * scale)


@pytest.mark.parametrize("kind", ["standard", "base", "given"])
def test_all_parameter_sets_give_the_same_torques(kind):
    m, rng = rx90(), np.random.default_rng(5)
    values = {p.name: float(rng.uniform(0.5, 2)) for p in m.parameters}
    inputs = {port: rng.normal(size=6) for port in ("q", "qd", "qdd")}
    grouped = da.base_parameters(m)
    numbers = m.with_values(**values)
    given = dict(values)
    if kind == "base":
        grouped_values = grouped.values(numbers.bound(), parameters=values)
        given |= dict(zip(grouped.names, grouped_values, strict=True))
    found = run(listing_text(m, parameters=kind), m, inputs, given)
    tau = da.inverse_dynamics(numbers, *inputs.values())
    assert np.allclose([found[f"tau{k}"] for k in range(1, 7)], tau, rtol=1e-12)


@pytest.mark.parametrize(
    ("kept", "goal"), [(None, 601), (base, 505), (symmetric, 264)], ids=["all", "base", "symmetric"]
)
def test_the_header_counts_what_stands_below(kept, goal):
    m = rx90(kept) if kept else rx90()
    text = listing_text(m, parameters="given")
    cost = program_of(m, "inverse_dynamics").cost
    assert f"# operations: {cost['step']}" in text
    total = sum(c.mul + c.add for c in cost.values())
    assert total <= goal
    written = [right for _, right in lines(text)]
    plus = sum(len(re.findall(r" [+-] ", right)) for right in written)
    times = sum(len(re.findall(r"\*\*2|\*(?!\*)(?<!\*\*)", right)) for right in written)
    assert plus == sum(c.add for c in cost.values())
    assert times == sum(c.mul for c in cost.values())


def test_the_direct_model_is_listed_by_the_method_with_fewest_operations():
    text = listing_text(rx90(), "forward_dynamics", "base")
    assert text.startswith("# rx90: forward_dynamics by composite, base parameters\n")
    asked = listing_text(rx90(), "forward_dynamics", "base", "articulated_body")
    assert asked.startswith("# rx90: forward_dynamics by articulated_body, base parameters\n")


def test_the_letters_of_names_are_explained():
    text = listing_text(rx90())
    (legend,) = re.findall(r"^# names: (.*\n(?:#   .*\n)*)", text, re.MULTILINE)
    assert "C, S: cosines and sines" in legend and "on the way back N: of all inputs" in " ".join(
        legend.replace("#", "").split()
    )
    # what occurs is explained, what does not is not
    letters = {name[0] for name, _ in lines(text) if re.fullmatch(r"[A-Z]\d+_\d+", name)}
    assert letters == {"R", "W", "A", "N"} and "V: the last" not in legend


def test_groups_are_headed_by_link_and_meaning():
    text = listing_text(rx90(), parameters="base")
    assert "# link 3 (j3): its motion, and the force and couple that motion asks for" in text
    assert "# link 4 (j4): force and couple of all links beyond, brought to this joint" in text
    assert text.index("cosines and sines") < text.index("link 2 (j2)") < text.index("# results")


@pytest.mark.parametrize("m", random_mechanisms(12, seed=21, dof=(2, 9)), ids=lambda m: m.name)
def test_listings_of_random_mechanisms_have_unique_ascii_names(m):
    for name in ("inverse_dynamics", "mass_matrix"):
        text = listing_text(m, name, "standard")
        assert text.isascii()
        assert lines(text)


def test_the_dialect_has_a_form_for_every_primitive():
    assert set(OPS) <= set(LISTING.table())


def test_names_from_files_become_unique_ascii_identifiers():
    names = Names(["double"])
    made = [names.new(x) for x in ("θ1", "θ1", "double", "a b", "a;b", "", "1", "\u202e", "x\ny")]
    assert len(set(made)) == len(made)
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", word) for word in made)
    assert identifier("Γ") == "Gamma"
    assert "\n" not in comment("a\nb") and "*/" not in comment("a*/b")


def test_the_three_ways_of_a_moving_base_are_named():
    text = listing_text(da.robots.flying_arm(), "moving_base_inverse")
    marks = [line for line in text.splitlines() if line.startswith("# link")]
    assert marks[0] == (
        "# link 1 (base): its motion if the base were not accelerated, and what that asks for"
    )
    assert marks[-1] == "# link 3 (j2): what the acceleration of the base adds"
    text = listing_text(da.robots.flexible2r(), "elastic_inverse")
    assert "# link 4 (j2.flex): articulated inertia and force of all links beyond" in text
