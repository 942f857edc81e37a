"""Sine and cosine over the whole range of doubles, against exact reduction and longdouble."""

import functools
import math
from fractions import Fraction

import numpy as np
import pytest

from dalembert.expr import cos, program, sin, trace
from dalembert.runtime import compile_program, library, llvm, module
from dalembert.runtime.card import card
from dalembert.runtime.far import two_over_pi
from dalembert.runtime.kernel import Kernel
from dalembert.runtime.native import Native
from dalembert.runtime.sincos import half_pi_parts

if np.finfo(np.longdouble).nmant < 60:
    pytest.skip("longdouble is no better than double here", allow_module_level=True)


def arctan_of_inverse(n, bits):
    """Return atan(1/n)·2**bits by its series, in integers."""
    term = total = (1 << bits + 32) // n
    k, sign = 3, -1
    while term:
        term //= n * n
        total += sign * (term // k)
        k, sign = k + 2, -sign
    return total >> 32


BITS = 1300  # enough for the largest double
HALF_PI = Fraction(2 * (4 * arctan_of_inverse(5, BITS) - arctan_of_inverse(239, BITS)), 1 << BITS)


def reference(x):
    """Return sin x and cos x to longdouble, x reduced exactly."""
    n = round(Fraction(x) / HALF_PI)
    exact = Fraction(x) - n * HALF_PI
    high = float(exact)
    r = np.longdouble(high) + np.longdouble(float(exact - Fraction(high)))
    s, c = np.sin(r), np.cos(r)
    return [(s, c), (c, -s), (-s, -c), (-c, s)][n % 4]


def worst_ulp(kernel, angles):
    worst = 0.0
    for x, row in zip(angles, kernel(np.array(angles)[:, None]), strict=True):
        for got, wanted in zip(row, reference(x), strict=True):
            unit = np.longdouble(math.ulp(float(wanted)))
            worst = max(worst, float(abs(np.longdouble(got) - wanted) / unit))
    return worst


PROGRAM = program(trace(lambda x: [sin(x[0]), cos(x[0])], [("x", 1)], name="sincos"))


@pytest.fixture(scope="module")
def kernel():
    return compile_program(PROGRAM)


@pytest.fixture(scope="module")
def kernel_without_fma():
    text = library.text(llvm.host().lanes, fused=False)
    engine, addresses = library.load(llvm.generate(text, 1))
    code = module.compile_object(PROGRAM)
    own = card(PROGRAM, code.scratch_one, code.scratch_batch, code.tile)
    yield Kernel(own, Native(own, llvm.Engine(code.code, addresses)))
    del engine


def hard_cases():
    """Doubles nearest to multiples of pi/2, at every exponent from 2**14 on; both signs."""
    found = [math.ldexp(6381956970095103, 797), math.ldexp(5419351, 4)]
    for e in range(-38, 972, 5):
        # m 2**e near n pi/2: the convergents of 2**(e + 1)/pi have the smallest remainders
        ratio, (p, before), (q, then) = Fraction(2) ** e / HALF_PI, (1, 0), (0, 1)
        while q <= 1 << 53:
            best = q
            whole = math.floor(ratio)
            (p, before), (q, then) = (whole * p + before, p), (whole * q + then, q)
            if ratio == whole:
                break
            ratio = 1 / (ratio - whole)
        found += [math.ldexp(best, e), -math.ldexp(best, e)]
    return [x for x in found if abs(x) >= 2**14]


NAMES = (
    "one turn", "thousand", "million", "around the limits", "multiples of pi/2",
    "neighbours of them", "huge", "huge multiples", "tiny",
)  # fmt: skip


@functools.cache
def ranges():
    rng = np.random.default_rng(3)
    near = [int(k) for k in np.concatenate([np.arange(1, 400), rng.integers(1, 10**9, 600)])]
    return {
        "one turn": rng.uniform(-7, 7, 1500),
        "thousand": rng.uniform(-1e3, 1e3, 800),
        "million": rng.uniform(-1e6, 1e6, 800),
        "around the limits": rng.uniform(7e5, 2e8, 800),
        "multiples of pi/2": [float(HALF_PI * k) for k in near],
        "neighbours of them": [math.nextafter(float(HALF_PI * k), math.inf) for k in near[:500]],
        "huge": 10 ** rng.uniform(8, 308, 300),
        "huge multiples": hard_cases(),
        "tiny": 10 ** rng.uniform(-320, -1, 300),
    }


@pytest.mark.parametrize("name", NAMES)
def test_sine_and_cosine_are_right_within_two_ulp(kernel, name):
    assert worst_ulp(kernel, ranges()[name]) <= 2


@pytest.mark.parametrize("name", NAMES)
def test_they_are_right_without_fused_multiply_add_too(kernel_without_fma, name):
    assert worst_ulp(kernel_without_fma, ranges()[name]) <= 2


def test_every_range_is_tried():
    assert tuple(ranges()) == NAMES


def test_the_bits_of_two_over_pi():
    bits = 1250
    assert abs(Fraction(two_over_pi(bits), 1 << bits) - 1 / HALF_PI) <= Fraction(1, 1 << bits)


def test_no_angle_at_infinity(kernel):
    x = np.array([[math.inf], [1.0], [math.nan], [-math.inf], [0.0]])
    got = kernel(x)
    assert np.isnan(got[[0, 2, 3]]).all()
    np.testing.assert_allclose(got[[1, 4]], [[math.sin(1), math.cos(1)], [0, 1]], rtol=3e-16)


def test_a_lane_does_not_feel_its_neighbours(kernel):
    plain = kernel(np.full((4, 1), 0.7))
    mixed = kernel(np.array([[0.7], [1e200], [math.nan], [0.7]]))
    assert mixed[[0, 3]].tobytes() == plain[:2].tobytes()


@pytest.mark.parametrize("fused", [True, False])
def test_the_parts_of_half_pi_add_up(fused):
    rest = HALF_PI - sum(map(Fraction, half_pi_parts(fused)))
    assert abs(rest) < Fraction(1, 2**145)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 29])
def test_one_state_of_many_angles_is_that_of_a_batch(count):
    def turns(x):
        return [f(x[k]) for k in range(count) for f in (sin, cos)]

    kernel = compile_program(program(trace(turns, [("x", count)], name="turns")))
    rng = np.random.default_rng(count)
    states = rng.normal(size=(6, count)) * 10.0 ** rng.integers(-3, 14, (6, count))
    states[4, rng.integers(count)] = np.inf
    states[5, rng.integers(count)] = np.nan
    found = kernel(states)
    for state, row in zip(states, found, strict=True):
        alone = kernel(state)
        assert np.array_equal(alone, row, equal_nan=True)
        for k, x in enumerate(state):
            if np.isfinite(x):
                wanted = np.array(reference(x), float)
                assert (abs(alone[2 * k : 2 * k + 2] - wanted) <= 2 * np.spacing(1.0)).all()
