"""Closed forms timed: dalembert beside SymPy's LagrangesMethod on the same four-joint chain.

python -m benchmarks equations
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterator
from typing import Any

import dalembert as da
from dalembert.bench import pinned

CHAIN = "RY(),TYK(L1),RX(),TYK(L2),RX(),TZK(L3),RY(),TZK(L4); gravity = (0, G, 0);"
AXES, ALONG = "yxxy", "yyzz"  # of the joints; of the bodies
GENERAL = "".join(
    f"body {k}: M=M{k}, D=(DX{k},DY{k},DZ{k}), I=(IXX{k},IYY{k},IZZ{k},IXY{k},IXZ{k},IYZ{k});"
    for k in range(1, 5)
)
REPEATS, THEIRS = 300, 3  # runs of ours and of SymPy's, the least time of each counts
# name, whether inertias are general, the least ratio that is asked for
CASES = (("own-axis inertias", False, 2000), ("10 inertial parameters per link", True, 5000))


def rows() -> Iterator[str]:
    """Yield the table: seconds of the processor, the ratio, how far the torques are apart."""
    import sympy.physics.mechanics  # noqa: F401  (importing is not timed)
    from sympy.core.cache import clear_cache

    yield "\n| closed forms of a 4-joint chain | ours ms | SymPy s | ratio | wanted | error |"
    yield "|---|---|---|---|---|---|"
    for name, general, wanted in CASES:
        with pinned():
            ours, eq = best(CHAIN + GENERAL * general)
            theirs = math.inf
            for _ in range(THEIRS):
                clear_cache()  # of SymPy: every run forms the equations anew
                start = time.process_time()
                method, forces = lagrange(general)
                theirs = min(theirs, time.process_time() - start)
        error, ratio = difference(eq, method, forces), theirs / ours
        yield f"| {name} | {ours * 1e3:.2f} | {theirs:.1f} | {ratio:.0f} | {wanted} | {error:.0e} |"


def best(phrase: str) -> tuple[float, Any]:
    """Return the least seconds until every coefficient is expanded, and the equations."""
    least, eq = math.inf, None
    for _ in range(REPEATS):
        eq, m = None, da.load(phrase)  # freeing the equations before is not timed
        start = time.process_time()
        eq = da.equations(m)
        eq.counts()
        least = min(least, time.process_time() - start)
    return least, eq


def lagrange(general: bool) -> tuple[Any, Any]:
    """Return SymPy's method and the equations it forms, of the same chain.

    Only `form_lagranges_equations` is asked for: no simplification, no separation into A, B and C.
    """
    import sympy as sp
    from sympy.physics import mechanics as me

    q = me.dynamicsymbols("q1:5")
    base, origin = me.ReferenceFrame("R0"), me.Point("O0")
    origin.set_vel(base, 0)
    frame, at, bodies, loads = base, origin, [], []
    for k in range(1, 5):
        body = frame.orientnew(f"R{k}", "Axis", (q[k - 1], getattr(frame, AXES[k - 1])))
        lever, moments = inertial(k, general)
        centre = at.locatenew(f"G{k}", sum((d * u for d, u in zip(lever, body, strict=True)), 0))
        centre.v2pt_theory(at, base, body)
        m = sp.Symbol(f"M{k}")
        bodies.append(me.RigidBody(f"S{k}", centre, body, m, (me.inertia(body, *moments), centre)))
        loads.append((centre, m * sp.Symbol("G") * base.y))
        following = at.locatenew(f"O{k}", sp.Symbol(f"L{k}") * getattr(body, ALONG[k - 1]))
        following.v2pt_theory(at, base, body)
        frame, at = body, following
    L = me.Lagrangian(base, *bodies)
    method = me.LagrangesMethod(L, q, forcelist=loads, frame=base)
    return method, method.form_lagranges_equations()


def inertial(k: int, general: bool) -> tuple[list[Any], list[Any]]:
    """Return the mass centre and (xx, yy, zz, xy, yz, zx) of body k as the phrase has them."""
    import sympy as sp

    if general:
        tensor = [sp.Symbol(f"I{u}{k}") for u in ("XX", "YY", "ZZ", "XY", "YZ", "XZ")]
        return [sp.Symbol(f"D{u}{k}") for u in "XYZ"], tensor
    along = ALONG[k - 1]
    lever = [sp.Symbol(f"D{k}") if u == along else 0 for u in "xyz"]
    return lever, [0 if u == along else sp.Symbol(f"I{u.upper()}{k}") for u in "xyz"]


def difference(eq: Any, method: Any, forces: Any) -> float:
    """Return how far both torques are apart at one state, in units of the largest."""
    import sympy as sp
    from sympy.physics import mechanics as me

    chance = random.Random(1)
    values = {p.name: chance.uniform(0.2, 2) for p in eq.mechanism.parameters}
    q, qd, qdd = ([chance.uniform(-2, 2) for _ in range(4)] for _ in range(3))
    tau = eq.evaluate(values, q, qd, qdd)
    place: dict[Any, float] = {sp.Symbol(k): v for k, v in values.items()}
    t = me.dynamicsymbols._t
    for state, order in ((qdd, 2), (qd, 1), (q, 0)):
        for x, value in zip(method.q, state, strict=True):
            place[x.diff(t, order) if order else x] = value
    theirs = [float(me.msubs(row, place).evalf()) for row in forces]
    top = max(map(abs, theirs))
    return max(abs(a - b) for a, b in zip(tau, theirs, strict=True)) / top
