"""Honest logs of whole machines: noise, quantisation, delay, gaps, friction."""

from dataclasses import replace

import numpy as np

import dalembert as da
from dalembert.mechanism import Drive


def rubbed(m, viscous, coulomb, joints=None):
    """Return the machine with friction at its motors."""
    at = [j for j, b in enumerate(m.bodies) if b.joint.nv == 1] if joints is None else joints
    own = {d.joint: d for d in m.drives}
    made = [replace(own.get(j, Drive(j)), viscous=viscous, coulomb=(coulomb, -coulomb)) for j in at]
    return replace(m, drives=tuple(made))


def moving(m, time, rate, seed=7, size=0.6):
    """Return t, q, q̇, q̈ of a random Fourier series."""
    rng, t = np.random.default_rng(seed), np.arange(0, time, 1 / rate)
    q, qd, qdd = (np.zeros((len(t), m.nv)) for _ in range(3))
    for k in range(1, 7):
        w = 2 * np.pi * k / 10
        a, b = rng.normal(size=(2, m.nv)) * size / np.sqrt(k)
        s, c = np.sin(w * t)[:, None], np.cos(w * t)[:, None]
        q, qd, qdd = q + a * s + b * c, qd + w * (a * c - b * s), qdd - w * w * (a * s + b * c)
    return t, q, qd, qdd


def honest(m, t, q, tau, seed=0, encoder=2e-5, force=0.2, delay=0.0):
    """Return a table: noise, encoder steps, forces in steps and late, stretches that are lost."""
    rng = np.random.default_rng(seed)
    q = np.round((q + encoder * rng.normal(size=q.shape)) / encoder) * encoder
    late = np.stack([np.interp(t - delay, t, x) for x in tau.T], axis=1)
    late = np.round((late + force * rng.normal(size=tau.shape)) / 0.02) * 0.02
    table = {"t": t}
    for k, n in enumerate(m.rate_names):
        table |= {f"q.{n}": q[:, k].copy(), f"tau.{n}": late[:, k].copy()}
    lost = int(0.4 * len(t))
    for n in m.rate_names:
        table[f"q.{n}"][lost : lost + 40] = np.nan  # a gap of all joints
    table[f"tau.{m.rate_names[-1]}"][lost // 2 : lost // 2 + 10] = np.nan
    return table


def friction_of(f):
    return {n: x for n, x in f.parameters.items() if n.startswith(("Fv", "Fs"))}


def swayed(start, size=1.0, time=20, rate=200):
    """Return t, and a motion of the two motors of a five-bar that begins at `start`."""
    t = np.arange(0, time, 1 / rate)
    sway = np.stack([0.3 * np.sin(1.3 * t) + 0.1 * np.sin(4.1 * t) + 0.05 * np.sin(7 * t),
                     0.25 * np.sin(1.7 * t + 1) + 0.1 * np.cos(5 * t) - 0.3], axis=1)  # fmt: skip
    return t, start + size * (sway - sway[0])


def table_of(m, f, position=2e-5, force=0.2, seed=0):
    """Return a noisy table of all coordinates and of the motors' forces."""
    rng = np.random.default_rng(seed)
    table = {"t": f.t}
    for k, n in enumerate(m.rate_names):
        table[f"q.{n}"] = f.q[:, k] + position * rng.normal(size=len(f.t))
    for k, n in enumerate(f.names):
        table[f"tau.{n}"] = f.tau[:, k] + force * rng.normal(size=len(f.t))
    return table


WALKER = (
    "[hip1: RY(), TZK(-0.4), knee1: RY(), foot1: TZK(-0.4)] "
    "[hip2: RY(), TZK(-0.4), knee2: RY(), foot2: TZK(-0.4)]; "
    "body 1: M = 6, D = (0.01, 0, -0.18), I = (0.08, 0.08, 0.02); "
    "body 2: M = 3, D = (0.01, 0, -0.17), I = (0.05, 0.05, 0.01); "
    "body 3: M = 6, D = (0.01, 0, -0.18), I = (0.08, 0.08, 0.02); "
    "body 4: M = 3, D = (0.01, 0, -0.17), I = (0.05, 0.05, 0.01);"
)


def walker():
    m = da.load(WALKER, base="free")
    return m.with_payload("base", 30, (0.02, 0, 0.25), [1.2, 1.0, 0.4, 0, 0, 0])


def walk(m, time=12.0, rate=200):
    """Return t, q, q̇, q̈ of a swaying walker, and wrenches on its feet that make it possible."""
    t = np.arange(0, time, 1 / rate)
    legs = moving(replace(m, bodies=m.bodies), time, rate, seed=3, size=0.25)
    q, qd, qdd = (np.zeros((len(t), n)) for n in (m.nq, m.nv, m.nv))
    q[:, 7:], qd[:, 6:], qdd[:, 6:] = (x[:, 6:] for x in legs[1:])
    # the trunk shifts and nods: rates are in its own axes
    a, w = 0.2, 2 * np.pi * 0.5
    angle = a * np.sin(w * t)
    q[:, 4], q[:, 6] = np.sin(angle / 2), np.cos(angle / 2)
    qd[:, 4], qdd[:, 4] = a * w * np.cos(w * t), -a * w * w * np.sin(w * t)
    return t, q, qd, qdd
