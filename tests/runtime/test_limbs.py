"""One state whose limbs are alike is computed in vectors; results are those of batches."""

import numpy as np
import pytest

from dalembert import load
from dalembert.compute import arrays_of, compile, program_of
from dalembert.expr import absolute, cos, program, sin, trace
from dalembert.runtime import compile_program, limbs, module, schedule
from runtime.programs import pendulum_chain

PLACES = ((0.3, 0.2), (0.3, -0.2), (-0.3, 0.2), (-0.3, -0.2))


def walker(limbs, links=3, before=0, seed=0):
    """Return a machine that moves freely, with limbs alike but for numbers and signs."""
    rng = np.random.default_rng(seed)
    bodies = [body(rng, "trunk", -1, {"type": "free"})]
    for k in range(before):
        bodies.append(body(rng, f"waist{k}", k, revolute((0, 0, 1), (0, 0, 0.1))))
    trunk = len(bodies) - 1
    for k, (x, y) in enumerate(PLACES[:limbs]):
        parent = trunk
        for n in range(links):
            place = (x, y, 0) if n == 0 else (0, np.sign(y) * 0.1, -0.3)
            joint = revolute(((1, 0, 0), (0, 1, 0))[min(n, 1)], place)
            bodies.append(body(rng, f"leg{k}{n}", parent, joint))
            parent = len(bodies) - 1
    return load({"name": "walker", "bodies": bodies})


def revolute(axis, place):
    return {"type": "revolute", "axis": [*axis], "placement": {"translation": [*map(float, place)]}}


def body(rng, name, parent, joint):
    arms = rng.normal(size=(6, 3)) * 0.1
    tensor = sum(np.eye(3) * (r @ r) - np.outer(r, r) for r in arms)
    com, mass = rng.uniform(-0.1, 0.1, 3), float(rng.uniform(0.5, 2))
    tensor = (tensor * mass).tolist()
    joint = {"placement": {"translation": [0.0, 0.0, 0.0]}} | joint
    return {
        "name": name, "parent": parent, "joint": joint, "mass": mass, "com": com.tolist(),
        "inertia": tensor,
    }  # fmt: skip


def bundles(made):
    """Return the block of a program as one state computes it, and its bundles of lines."""
    block, found = limbs.bundled(module._ordered(made).step, made.inputs)
    return block, [b for b in found if b.op]


def states(m, count):
    rng = np.random.default_rng(3)
    q, qd, x = rng.normal(size=(count, m.nq)), *rng.normal(size=(2, count, m.nv))
    if m.nq > m.nv:
        q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1)[:, None]
    return q, qd, x


def agrees(kernel, given):
    """Check that one state gives what a batch gives, to round-off of the largest term."""
    many = arrays_of(kernel(*given))
    for k in range(len(given[0])):
        for one, all_ in zip(arrays_of(kernel(*(x[k] for x in given))), many, strict=True):
            assert abs(one - all_[k]).max() <= 1e-13 * max(1, abs(all_[k]).max())


@pytest.mark.parametrize(("count", "links", "before"), [(4, 3, 0), (2, 6, 0), (4, 2, 1), (2, 3, 2)])
@pytest.mark.parametrize(
    "name", ["inverse_dynamics", "inverse_dynamics_derivatives", "forward_dynamics"]
)
def test_limbs_that_are_alike_are_found_and_one_state_agrees_with_many(count, links, before, name):
    m = walker(count, links, before)
    made = program_of(m, name)
    found = bundles(made)[1]
    assert found and {len(b.values) for b in found} <= {count, 2}
    agrees(compile(m, name), states(m, 5))


def test_half_of_the_lines_of_a_four_legged_machine_go():
    block, found = bundles(program_of(walker(4), "inverse_dynamics_derivatives"))
    assert limbs._gone(block, found) > 0.5 * len(block.lines)


@pytest.mark.parametrize("chunk", [40, 200])
def test_bundles_that_are_cut_apart_are_computed_line_by_line(chunk, monkeypatch):
    for name in ("WHOLE", "DECODED"):
        monkeypatch.setattr(schedule, name, 0)
    monkeypatch.setattr(schedule, "ALONE", chunk)
    m = walker(4)
    made = program_of(m, "inverse_dynamics_derivatives")
    agrees(compile_program(made), states(m, 3))


@pytest.mark.parametrize("single", [False, True])
def test_a_kernel_for_single_states_has_bundles_too(single):
    m = walker(4)
    agrees(compile_program(program_of(m, "inverse_dynamics"), single=single), states(m, 3))


def test_the_order_of_lines_keeps_bundles_together_and_gives_the_same_values():
    made = program_of(walker(4), "inverse_dynamics")
    usual = module._ordered(made).step
    block, found = bundles(made)
    for b in found:
        assert b.values == (*range(b.values[0], b.values[0] + len(b.values)),)
    rng = np.random.default_rng(0)
    given = {p.name: rng.normal(size=p.size) for p in made.inputs}
    assert block.run(given) == usual.run(given)
    assert sorted(line.op for line in block.lines) == sorted(line.op for line in usual.lines)


def test_serial_chains_have_no_limbs():
    made = pendulum_chain(40)
    assert bundles(made) == (module._ordered(made).step, [])


def signs_and_numbers(x, y):
    """Return for each of four limbs terms whose signs, order and numbers differ from limb to limb.

    What a limb has of its own (an absolute value, a product that two sums take in) differs too.
    """
    out, base = [], x[0] * y[0]
    for k in range(4):
        a, b = x[1 + 3 * k : 4 + 3 * k], y[1 + 3 * k : 4 + 3 * k]
        s, total = (1, -1, 1, -1)[k], base
        for n in range(24):
            u, v = a[n % 3] * (0.3 + n + k), b[(n + 1) % 3] * sin(a[n % 3])
            u = u + v if s > 0 else u - v
            w = v * u - total if k < 2 else v * u + total
            w = s * w * (0.1 * n + 0.7) + cos(a[n % 3]) * u
            total = w - 0.5 * total * v if k % 3 else 0.5 * total * v + w
            if k == n % 4:
                out.append(absolute(total) + u * v)
            out += [u * w, -u, v]
        out.append(total)
    out.append(sum(out[1:200:3], base))
    return out


def test_signs_numbers_and_the_order_of_terms_may_differ():
    made = program(trace(signs_and_numbers, [("x", 13), ("y", 13)]))
    assert any({*s} == {1, -1} for b in bundles(made)[1] for s in b.signs)
    rng = np.random.default_rng(5)
    agrees(compile_program(made), (rng.normal(size=(9, 13)) / 3, rng.normal(size=(9, 13)) / 3))


def random_lines(seed):
    """Return a function of two inputs whose limbs (see below) wait for each other at random."""

    def run(x, y):
        rng = np.random.default_rng(seed)
        limbs_, shared = [[x[2 + k], y[2 + k]] for k in range(4)], [x[0], y[1]]
        for _ in range(40):
            how, places = rng.integers(4), rng.integers(0, 6, 3)
            for k in rng.permutation(4):
                own = limbs_[k][-6:]
                u, v = own[places[0] % len(own)], own[places[1] % len(own)]
                base = shared[(places[2] + k * rng.integers(2)) % len(shared)]
                made = (u * base, u + v * base, base - v, sin(u) * v + base)[how]
                limbs_[k].append(made if rng.random() < 0.9 else made * 0.5)
                if rng.random() < 0.1:
                    shared.append(u * limbs_[k - 1][-1] + 0.1)
        return [total(own[-9:]) for own in limbs_] + shared[-4:]

    return run


def total(terms):
    return sum(terms[1:], terms[0])


@pytest.mark.parametrize("seed", range(12))
def test_lines_that_wait_for_each_other_have_an_order(seed, monkeypatch):
    found = [limbs.Family(0, 1, 4)]
    monkeypatch.setattr(limbs, "LONG", 0)
    monkeypatch.setattr(limbs, "WORTH", -1)
    monkeypatch.setattr(limbs, "families", lambda block, sizes: found)
    made = program(trace(random_lines(seed), [("x", 6), ("y", 6)]))
    block, own = bundles(made)
    assert own
    rng = np.random.default_rng(seed)
    given = {p.name: rng.uniform(-0.5, 0.5, p.size) for p in made.inputs}
    assert block.run(given) == module._ordered(made).step.run(given)
    agrees(compile_program(made), tuple(rng.uniform(-0.5, 0.5, (3, 6)) for _ in range(2)))


@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize(
    "name", ["inverse_dynamics", "inverse_dynamics_derivatives", "forward_dynamics"]
)
def test_quick_code_of_limbs_gives_the_same_bits(count, name, monkeypatch):
    monkeypatch.setenv("DALEMBERT_CACHE", "off")
    monkeypatch.delenv("DALEMBERT_JIT", raising=False)
    m = walker(count)
    usual = compile(m, name)
    monkeypatch.setenv("DALEMBERT_JIT", "quick")
    quick = compile(m, name)
    for given in zip(*states(m, 4), strict=True):
        for one, two in zip(arrays_of(quick(*given)), arrays_of(usual(*given)), strict=True):
            assert np.array_equal(one, two)
