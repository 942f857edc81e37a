"""Kane's method timed: the truck's closed forms beside SymPy's KanesMethod, kernels beside the UR5.

python -m benchmarks kane
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import dalembert as da

STATES = 4096
WANTED = {1: 0.3, 5: 2.0}  # seconds for the ten steps, printed
STATE = {"th": 0.7, "phi": 0.45, "v": 4.0, "delta": 0.3, "deltad": 0.6}


def rows(peers: bool = True) -> Iterator[str]:
    """Yield both tables as Markdown."""
    yield from derivations(peers)
    yield from kernels()


def derivations(peers: bool = True) -> Iterator[str]:
    """Yield processor seconds from a mechanism to the ten steps as text; SymPy's to equations."""
    yield "\n| ten steps of a truck | ours s | wanted s | SymPy s | ratio | error |"
    yield "|---|---|---|---|---|---|"
    for trailers, wanted in WANTED.items():
        derive = lambda n=trailers: da.kane_form(da.robots.truck(n)).text()  # noqa: E731
        ours = least(derive, 5, time.process_time)
        if trailers > 1 or not peers:
            name = f"{trailers} trailer{'s' if trailers > 1 else ''}"
            yield f"| {name} | {ours:.3f} | {wanted} | | | |"
            continue
        start = time.process_time()
        M, F, values = sympy_truck()
        theirs = time.process_time() - start
        error = abs(sympy_alpha_dot(M, F, values) - our_alpha_dot())
        ratio = theirs / ours
        yield f"| 1 trailer | {ours:.3f} | {wanted} | {theirs:.2f} | {ratio:.1f} | {error:.0e} |"


def kernels() -> Iterator[str]:
    """Yield nanoseconds per state of alpha_dot beside the inverse dynamics of the UR5."""
    rng = np.random.default_rng(0)
    arm = da.robots.ur5()
    k = da.compile(arm, "inverse_dynamics")
    states = [rng.uniform(-1, 1, (STATES, 6)) for _ in range(3)]
    out = k(*states)
    base = least(lambda: k(*states, out=out), 50) / STATES * 1e9
    yield "\n| alpha_dot, a batch | ns per state | UR5 inverse dynamics | ratio | wanted |"
    yield "|---|---|---|---|---|"
    for n in (0, 1, 2, 5):
        m = da.robots.truck(n)
        kernel = da.compile(m, "alpha_dot")
        sizes = (m.nq, 1, 1, 1, m.nv, len(m.wheels))
        given = [rng.uniform(-0.5, 0.5, (STATES, s)) for s in sizes]
        result = kernel(*given)
        t = least(lambda k=kernel, g=given, o=result: k(*g, out=o), 50) / STATES * 1e9
        wanted = "<= 1.1" if n == 1 else ""
        yield f"| truck({n}) | {t:.1f} | {base:.1f} | {t / base:.2f} | {wanted} |"


def least(
    run: Callable[[], Any], times: int, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Return the least seconds of a call."""
    run()
    found = []
    for _ in range(times):
        start = clock()
        run()
        found.append(clock() - start)
    return min(found)


def our_alpha_dot() -> float:
    """Return the acceleration of the truck without traction."""
    s, m = STATE, da.robots.truck(1)
    q = [0, 0, s["th"], s["phi"]]
    return float(da.kane_g0(m, q, [s["v"]], [s["delta"]], [s["deltad"]])[0])


def sympy_truck() -> tuple[Any, Any, dict[Any, float]]:
    """Return mass matrix and forcing of the truck by KanesMethod, and the values of its symbols."""
    import sympy as sp
    from sympy.physics import mechanics as me

    x, y, th, phi, delta = me.dynamicsymbols("x y th phi delta")
    u = me.dynamicsymbols("u1:5")
    l1, l2, b, c, d, m1, m2, j1, j2 = sp.symbols("l1 l2 b c d m1 m2 j1 j2")
    t = me.dynamicsymbols._t
    N = me.ReferenceFrame("N")
    A = N.orientnew("A", "Axis", (th, N.z))
    T = A.orientnew("T", "Axis", (phi, A.z))
    A.set_ang_vel(N, u[2] * N.z)
    T.set_ang_vel(A, u[3] * N.z)
    axle = me.Point("axle")
    axle.set_vel(N, u[0] * A.x + u[1] * A.y)
    places = {
        "front": (axle, l1 * A.x, A),
        "mass1": (axle, b * A.x, A),
        "hitch": (axle, -c * A.x, A),
    }
    points = {}
    for name, (start, way, frame) in places.items():
        points[name] = start.locatenew(name, way)
        points[name].v2pt_theory(start, N, frame)
    for name, way in (("trailer", -l2 * T.x), ("mass2", (d - l2) * T.x)):
        points[name] = points["hitch"].locatenew(name, way)
        points[name].v2pt_theory(points["hitch"], N, T)
    wheel = A.orientnew("F", "Axis", (delta, A.z))
    held = [u[1], points["front"].vel(N).dot(wheel.y), points["trailer"].vel(N).dot(T.y)]
    kinematic = [x.diff(t) - u[0] * sp.cos(th) + u[1] * sp.sin(th),
                 y.diff(t) - u[0] * sp.sin(th) - u[1] * sp.cos(th),
                 th.diff(t) - u[2], phi.diff(t) - u[3]]  # fmt: skip
    bodies = [
        me.RigidBody("truck", points["mass1"], A, m1, (me.inertia(A, 0, 0, j1), points["mass1"])),
        me.RigidBody("load", points["mass2"], T, m2, (me.inertia(T, 0, 0, j2), points["mass2"])),
    ]
    method = me.KanesMethod(
        N, [x, y, th, phi], [u[0]], kinematic, u_dependent=list(u[1:]), velocity_constraints=held
    )
    method.kanes_equations(bodies, [])
    sizes = {k: float(v) for k, v in da.robots.truck(1).values.items()}
    values = {s: sizes[s.name] for s in (l1, l2, b, c, d, m1, m2, j1, j2)}
    v, s = STATE["v"], STATE
    spin = v * np.tan(s["delta"]) / sizes["l1"]
    turn = -v * np.sin(s["phi"]) / sizes["l2"]
    turn -= (sizes["l2"] + sizes["c"] * np.cos(s["phi"])) / sizes["l2"] * spin
    values |= {delta.diff(t): s["deltad"], delta: s["delta"], th: s["th"], phi: s["phi"]}
    values |= dict(zip(u, (v, 0.0, spin, turn), strict=True))
    return method.mass_matrix, method.forcing, values


def sympy_alpha_dot(M: Any, F: Any, values: dict[Any, float]) -> float:
    """Return the first acceleration that SymPy's equations give."""
    first = {k: x for k, x in values.items() if k.is_Derivative}
    rest = {k: x for k, x in values.items() if not k.is_Derivative}
    known = [X.subs(first).subs(rest) for X in (M, F)]
    return float(np.linalg.solve(*(np.array(X.tolist(), dtype=float) for X in known))[0, 0])


if __name__ == "__main__":
    for line in rows():
        print(line, flush=True)
