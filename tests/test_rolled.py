"""Loops over links: the same numbers as straight-line code, and code that does not grow."""

import re
from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.algorithms import rolled_links
from dalembert.algorithms.rolled_links import Links
from dalembert.bench.rows import chain, difference, states
from dalembert.catalog import quantity
from dalembert.compute import kernels
from dalembert.compute.rolled import RULES, is_rolled, rolled
from dalembert.compute.ways import Asked
from dalembert.expr.rolled import Rolled, Roller
from dalembert.runtime import rolled as runtime
from dalembert.runtime.rolled import module
from mechanisms import random_mechanisms, random_state
from peers import peer

pytestmark = pytest.mark.usefixtures("made_well")  # code as users get it

ONE = {"revolute": 4, "any": 3, "prismatic": 2, "screw": 1, "fixed": 1}
MIXED = {**ONE, "spherical": 2}
MATRICES = ["mass_matrix", "inverse_dynamics_derivatives", "forward_dynamics_derivatives"]


@pytest.fixture
def made(monkeypatch):
    """The kernel of a quantity as loops, whatever its size, or as straight-line code."""

    def kernel(m, name, rolled=True, **form):
        with monkeypatch.context() as patch:
            patch.setattr(kernels, "is_rolled", lambda *a, **k: rolled)
            return da.compile(m, name, **form)

    return kernel


def trees(count, seed, joints, **more):
    strata = {"masses": {"decade": 1}, "lengths": {"metre": 1}, "massless": 0, **more}
    found = random_mechanisms(3 * count, seed=seed, dof=(2, 7), joints=joints, **strata)
    return [m for m in found if not any(b.joint.kind == "planar" for b in m.bodies)][:count]


def near(found, wanted, tolerance=1e-10):
    """Check results of force type on their own scale; zeros may be rounded."""
    pairs = zip(found, wanted, strict=True) if isinstance(found, tuple) else [(found, wanted)]
    for x, y in pairs:
        assert np.abs(x - y).max() <= tolerance * max(1.0, np.abs(y).max())


def inputs(m, kernel, count=5):
    rng = np.random.default_rng(3)
    q = np.array([random_state(m, seed, mild=True)[0] for seed in range(count)])
    rest = [rng.normal(size=(count, m.nv)) for _ in kernel.inputs[1:]]
    return [q, *rest]


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics"])
def test_loops_agree_with_straight_line_code(made, name):
    for m in trees(3, 1, MIXED, root=0.5, drives=0):
        loops, straight = made(m, name), made(m, name, rolled=False)
        given = inputs(m, loops)
        wanted = straight(*given)
        near(loops(*given), wanted)
        near(loops(*(x[0] for x in given)), wanted[0])


@pytest.mark.parametrize("name", [*RULES])
def test_trees_of_single_freedoms_agree_with_rotors(made, name):
    for m in trees(2, 2, ONE, root=0, drives=1):
        loops, straight = made(m, name), made(m, name, rolled=False)
        given = inputs(m, loops)
        near(loops(*given), straight(*given))
        near(loops(*(x[1] for x in given)), straight(*(x[1] for x in given)))


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics"])
@pytest.mark.parametrize("together", [0, 2000], ids=["functions", "branches"])
def test_driven_trees_on_a_free_body_agree(made, name, together, monkeypatch):
    monkeypatch.setattr(runtime, "TOGETHER", together)
    found = trees(9, 4, ONE, root=1, drives=1)
    free = [m for m in found if m.bodies[0].joint.kind == "free" and m.drives]
    free = [m for m in free if all(m.bodies[d.joint].joint.nv == 1 for d in m.drives)][:2]
    assert free
    for m in free:
        loops, straight = made(m, name), made(m, name, rolled=False)
        given = inputs(m, loops)
        wanted = straight(*given)
        near(loops(*given), wanted)
        alone = made(m, name, single=True)
        one = alone(*(x[2] for x in given))
        assert one.tobytes() == loops(*given)[2].tobytes()
        assert alone(*given)[2].tobytes() == one.tobytes()


@pytest.mark.parametrize("name", MATRICES[:2])
def test_packed_results_unpack_to_the_whole(made, name):
    for m in trees(1, 4, ONE, root=0, drives=0):
        loops, straight = made(m, name, packed=True), made(m, name, rolled=False)
        given = inputs(m, loops)
        near(loops.unpack(loops(*given)), straight(*given))


def test_outputs_of_unrelated_joints_are_written(made):
    m = trees(1, 5, ONE, root=0, drives=0, shapes={"star": 1})[0]
    for name in MATRICES:
        loops, straight = made(m, name), made(m, name, rolled=False)
        given = [x[0] for x in inputs(m, loops)]
        outs = tuple(np.full(port.shape, np.nan) for port in loops.outputs)
        loops(*given, out=outs if len(outs) > 1 else outs[0])
        wanted = straight(*given)
        near(outs, wanted if isinstance(wanted, tuple) else (wanted,))


@pytest.mark.parametrize(
    "form", [{"dtype": "float32"}, {"layout": "tiles"}, {"reduce": "sum"}], ids=str
)
def test_forms_of_arrays(made, form):
    m = chain(7)
    for name in ("inverse_dynamics", "mass_matrix"):
        loops, straight = made(m, name, **form), made(m, name, rolled=False, **form)
        given = [np.asarray(x, form.get("dtype", "float64")) for x in states(m, 13)]
        given = given[: len(loops.inputs)]
        if "layout" in form:
            given = [loops.to_tiles(x) for x in given]
        near(loops(*given), straight(*given), 2e-5 if "dtype" in form else 1e-13)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics"])
def test_two_vectors_of_states_at_a_time_give_the_same_bits(made, name, dtype, monkeypatch):
    if runtime.host().lanes != runtime.PAIRED:
        pytest.skip("this processor computes one vector at a time")
    monkeypatch.setenv("DALEMBERT_CACHE", "off")
    m = chain(4)
    both = made(m, name, dtype=dtype)
    monkeypatch.setattr(runtime, "PAIRED", 0)
    one = made(m, name, dtype=dtype)
    assert both.card.tile == 2 * one.card.tile
    for count in (1, 3, 8, 21):
        given = [x.astype(dtype) for x in states(m, count)]
        assert np.array_equal(both(*given), one(*given))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("joints", [{"revolute": 1}, ONE, MIXED], ids=["turns", "one", "mixed"])
def test_strips_of_links_give_the_same_bits(made, joints, dtype, monkeypatch):
    monkeypatch.setenv("DALEMBERT_CACHE", "off")
    monkeypatch.setattr(runtime, "CACHED", 0)  # where two vectors at a time may be quicker
    drives = 0 if "spherical" in joints else 1
    for m in [chain(11), *trees(3, 6, joints, root=0.5 - 0.5 * drives, drives=drives)]:
        kernels = []
        for bodies in (1000, 2):
            monkeypatch.setattr(rolled_links, "STRIP", bodies)
            kernels.append(made(m, "inverse_dynamics", dtype=dtype))
        whole, parts = kernels
        for count in (1, 3, 8, 37):
            given = [x.astype(dtype) for x in inputs(m, whole, count)]
            wanted = whole(*given)
            assert np.array_equal(parts(*given), wanted)
            one = given[0], given[1][0], given[2][0]  # rates that serve all states
            assert np.array_equal(parts(*one), whole(*one))


def test_strips_hold_less_of_a_long_chain(monkeypatch):
    monkeypatch.setattr(runtime, "CACHED", 0)
    asked = Asked(chain(200), quantity("inverse_dynamics"), None, {"drives": "none"})
    parts = rolled(asked, lambda: None)
    assert sum(strip.rows[1] for strip in parts.strips) == len(parts.passes[0].applied)
    assert module(parts)[2] < 0.75 * module(replace(parts, strips=()))[2]


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics"])
def test_code_does_not_grow_with_the_chain(name):
    sizes = []
    for n in (200, 400):
        found = rolled(Asked(chain(n), quantity(name), None, {"drives": "none"}), lambda: None)
        assert isinstance(found, Rolled)
        text = module(found)[0]
        sizes.append(len(re.sub(r'c"[^"]*"', "", text)))
        per_link = found.cost["step"].mul / n
        assert per_link < (83 if name == "inverse_dynamics" else 260)
    assert abs(sizes[1] / sizes[0] - 1) < 0.5  # a few kinds of links more or less


def test_only_large_trees_are_rolled():
    asked = Asked(chain(30), quantity("inverse_dynamics_derivatives"), None, {}, packed=True)
    assert is_rolled(asked)
    assert not is_rolled(replace(asked, m=chain(9)))
    assert not is_rolled(replace(asked, method="analytic"))
    assert not is_rolled(replace(asked, wrench=True))


def test_a_tree_without_a_direct_model_says_so():
    m = chain(64)
    last = m.bodies[-1]
    bodies = (*m.bodies[:-1], type(last)(last.name, last.parent, last.placement, last.joint))
    light = type(m)(bodies, name="light")
    with pytest.raises(da.SingularModel, match="moves no inertia"):
        da.compile(light, "forward_dynamics")


@pytest.mark.parametrize("name", [*RULES])
def test_long_chains_agree_with_pinocchio(made, name):
    peer("pin")
    from dalembert.bench.peers import Pinocchio

    m = chain(40)
    given = states(m, 3)
    run, result = Pinocchio(m).run(name, given, True)
    run(1)
    loops = made(m, name)
    assert difference(loops(*given[: len(loops.inputs)]), result()) < 1e-12


def test_kernels_of_single_states_are_rolled_sooner():
    asked = Asked(chain(80), quantity("inverse_dynamics"), None, {"drives": "none"})
    assert is_rolled(replace(asked, single=True)) and not is_rolled(asked)
    assert not is_rolled(replace(asked, m=chain(40), single=True))


@pytest.mark.parametrize("parents", [(-1, 0, 0, 2, 3), (-1, 0, 1, 1, 3)])
def test_only_links_that_carry_nothing_else_are_joined(parents):
    """A run of links ends where a second one is carried."""
    data = {"format": "dalembert/1", "bodies": [
        {"name": f"b{k}", "parent": p, "mass": 1, "inertia": [1, 1, 1],
         "joint": {"type": "revolute", "name": f"j{k}", "axis": [0, 0, 1]}}
        for k, p in enumerate(parents)
    ]}  # fmt: skip
    links = Links(da.load(data).bound(), {}, Roller("run", (), ()))
    carried = [[k for k, p in enumerate(parents) if p == j] for j in range(len(parents))]
    for j in range(len(parents)):
        for many in range(1, len(parents) - j + 1):
            whole = all(carried[k] == [k + 1] for k in range(j, j + many - 1))
            assert links._joined(j, many) == whole
