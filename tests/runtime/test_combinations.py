"""All options of kernels together: each combination gives the bits of the plain kernel.

Machines with turning bases, loops and wheels, with inputs and results that are empty, zero or given
per state; batches of any length, arrays that lie anywhere. The plain kernel is compared with NumPy.
"""

import random

import numpy as np
import pytest

import dalembert as da
from dalembert.runtime import Form, compile_program, fast, native
from dalembert.runtime.native import address
from runtime.programs import pendulum_chain
from runtime.test_forms import REDUCED

LENGTHS = (0, 1, 7, 8, 9, 15, 16, 17, 63, 64, 65, 1000, 1025)
CASES = {
    "arm": (da.robots.scara, "inverse_dynamics", ()),
    "parameters": (da.robots.scara, "gravity", ("M4",)),
    "quaternion": (da.robots.spacecraft, "mass_matrix", ()),
    "loop": (da.robots.fivebar, "inverse_dynamics", ()),
    "wheels": (lambda: da.robots.truck(1), "alpha_dot", ()),
    "nothing is not zero": (da.robots.unicycle, "potential_energy", ()),
    "several results": (da.robots.planar2r, "inverse_dynamics_derivatives", ()),
    "no forces": (da.robots.rolling_disc, "forward_dynamics", ()),
}
LAYOUTS = ({}, {"layout": "tiles"}, *({"reduce": kind} for kind in REDUCED))


@pytest.fixture(autouse=True)
def fenced(monkeypatch):
    """No kernel writes beyond the scratch memory that it asked for."""
    beyond, room = [], 4096

    def scratch(size):
        memory = np.full(size + 64 + room, 7, np.uint8)
        start = address(memory)
        start += -start % 64
        beyond.append((memory, start - address(memory) + size))
        return memory, start

    for part in (native, fast):
        monkeypatch.setattr(part, "scratch", scratch)
    yield
    assert beyond and all((memory[end:] == 7).all() for memory, end in beyond)


def arrays(found):
    return found if isinstance(found, tuple) else (found,)


def given_to(m, kernel, count, rng):
    found = [rng.uniform(-0.5, 0.5, (count, *port.shape)) for port in kernel.inputs]
    if kernel.inputs[0].name == "q":
        start = np.tile(da.neutral(m), (count, 1))
        found[0] = da.integrate(m, start, rng.uniform(-0.3, 0.3, (count, m.nv)))
    return found


def elsewhere(x, pick):
    """Return the same numbers in memory of another kind."""
    way = pick.randrange(5)
    if way == 0:
        return np.asfortranarray(x)
    if way == 1:
        wide = np.zeros((2 * len(x), *x.shape[1:]), x.dtype)
        wide[::2] = x
        return wide[::2]
    if way == 2:
        return x[::-1].copy()[::-1]
    if way == 3 and x.nbytes:  # not aligned
        odd = np.empty(x.nbytes + 1, np.uint8)[1:].view(x.dtype).reshape(x.shape)
        odd[...] = x
        return odd
    return x


def guarded(kernel, lead, pick):
    """Return arrays for results, and what must not change beside them."""
    outs, beside = [], []
    for port in kernel.outputs:
        shape = (*lead, *port.shape)
        size, first = int(np.prod(shape)), pick.randrange(1, 20)
        memory = np.full(size + 40, 7, kernel.card.form.dtype)
        outs.append(memory[first : first + size].reshape(shape))
        beside += [memory[:first], memory[first + size :]]
    return outs[0] if len(outs) == 1 else tuple(outs), beside


def run(kernel, given, parameters, pick):
    """Return whole results in rows, of states that lie anywhere."""
    count, form = len(given[0]), kernel.card.form
    if form.layout == "tiles":
        tiles = [kernel.to_tiles(elsewhere(x, pick)) for x in given]
        found = arrays(kernel(*tiles, parameters=parameters))
        found = tuple(kernel.from_tiles(x, count) for x in found)
    else:
        out, beside = guarded(kernel, () if form.reduce else (count,), pick)
        usual = kernel(*given, parameters=parameters)
        rows = [elsewhere(x, pick) for x in given]
        assert kernel(*rows, parameters=parameters, out=out) is out
        found = arrays(out)
        assert all(np.array_equal(*both) for both in zip(found, arrays(usual), strict=True))
        assert all((x == 7).all() for x in beside)
    if form.packed:
        found = arrays(kernel.unpack(found if len(found) > 1 else found[0]))
    return found


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", CASES)
def test_every_combination_gives_the_bits_of_the_plain_kernel(name, dtype):
    make, quantity, kept = CASES[name]
    m, pick, rng = make(), random.Random(name + dtype), np.random.default_rng(1)
    ask = {"parameters": list(kept)} if kept else {}
    plain = da.compile(m, quantity, dtype=dtype, **ask)
    given = [x.astype(dtype) for x in given_to(m, plain, max(LENGTHS) + 3, rng)]
    each = {p: rng.uniform(1, 2, len(given[0])).astype(dtype) for p in plain.parameters}
    wanted = arrays(plain(*given, parameters=each))
    for layout in LAYOUTS:
        if "reduce" in layout and "certificate" in [port.name for port in plain.outputs]:
            continue  # refused, see test_forms
        for packed in (False, True):
            form = {"dtype": dtype, "packed": packed, **layout, **ask}
            kernel = da.compile(m, quantity, threads=pick.choice((1, 2, 3)), **form)
            for count in pick.sample(LENGTHS, 5):
                part = slice(first := pick.randrange(4), first + count)
                own, here = {p: x[part] for p, x in each.items()}, wanted
                if "layout" in layout and own:  # one set for each tile
                    own = {p: 1.5 for p in own}
                    here = arrays(plain(*given, parameters=own))
                found = run(kernel, [x[part] for x in given], own, pick)
                for a, b in zip(found, here, strict=True):
                    _same(a, b[part], layout.get("reduce"))


def _same(found, rows, kind):
    """Compare what is reduced with the rows it is made of, or what is not, with these."""
    if kind in (None, "max") or not len(rows):
        wanted = rows if kind is None else np.abs(rows).max(axis=0, initial=0)
        assert found.dtype == rows.dtype and np.array_equal(found, wanted)
        return
    flat = rows.reshape(len(rows), -1).astype(float)
    gap = np.abs(found.reshape(-1) - REDUCED[kind](flat))
    close = 1e-13 if rows.dtype == float else 1e-5
    assert (gap <= close * np.abs(flat).sum(axis=0)).all()


@pytest.mark.filterwarnings("ignore:DALEMBERT_JIT")
@pytest.mark.parametrize("name", CASES)
def test_the_plain_kernel_gives_what_numpy_gives(name, monkeypatch):
    make, quantity, kept = CASES[name]
    m, ask = make(), {"parameters": list(kept)} if kept else {}
    kernel, rng = da.compile(m, quantity, **ask), np.random.default_rng(2)
    given = given_to(m, kernel, 77, rng)
    each = {p: rng.uniform(1, 2, 77) for p in kernel.parameters}
    found = arrays(kernel(*given, parameters=each))
    alone = [kernel(*(x[5] for x in given), parameters={p: x[5] for p, x in each.items()})]
    monkeypatch.setenv("DALEMBERT_JIT", "off")
    wanted = arrays(da.compile(m, quantity, **ask)(*given, parameters=each))
    for a, b, one in zip(found, wanted, arrays(alone[0]), strict=True):
        close = 1e-11 * np.abs(b).max(initial=0.1)
        assert np.abs(a - b).max(initial=0) <= close and np.abs(one - b[5]).max(initial=0) <= close


def test_parameters_of_each_state_in_every_form():
    rng, pick = np.random.default_rng(3), random.Random(3)
    made = pendulum_chain(3, parameters=True)
    for dtype in ("float64", "float32"):
        plain = compile_program(made, form=Form(dtype=dtype))
        q, qd = rng.uniform(-1, 1, (2, 1025, 3)).astype(dtype)
        each = {"L": rng.uniform(0.5, 1, 1025).astype(dtype), "m": np.asarray(1.5, dtype)}
        wanted = plain(q, qd, parameters=each)
        for form in ({}, *({"reduce": kind} for kind in REDUCED)):
            kernel = compile_program(made, form=Form(dtype=dtype, **form), threads=2)
            for count in LENGTHS:
                own = {"L": each["L"][:count], "m": each["m"]}
                found = run(kernel, (q[:count], qd[:count]), own, pick)
                _same(found[0], wanted[:count], form.get("reduce"))
