"""`size`: which motor and gear drives each joint through a duty cycle.

A cycle is a list of moves and dwells, with payloads; a catalogue lists motors and gears. Rotor
inertia goes back into the dynamics, so every pair is judged with its own forces. Thermal load is
the RMS torque of the whole cycle beside the continuous torque, and the winding temperature of a
first-order model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..compute import evaluate
from ..errors import Place, UsageError, shown
from ..mechanism import Mechanism, is_closed, require_mechanism
from ..mechanism.motors import tree_motors
from ..mechanism.units import force_and_speed
from ..read.document import Inside, inside, plain_document
from ..read.near import placed
from .catalogue import Gear, Motor, Parts, catalogue
from .follow import motors
from .measure import largest_terms
from .task import checked_task, motion_of, only_keys

Array = np.ndarray
MOVES = "moves = [{ to = [1, 0.5], time = 0.8 }, { dwell = 0.5 }]"
CYCLE = ("from", "to", "time", "dwell", "payload")
AMBIENT, HOTTEST = 25.0, 120.0  # °C


@dataclass(frozen=True)
class Choice:
    """One motor with one gear at one joint: loads in parts of what they can bear (1 is full)."""

    joint: str
    motor: Motor
    gear: Gear
    peak: float  # N m on the motor shaft
    rms: float
    speed: float  # rad/s
    power: float  # W
    inertia_ratio: float  # load inertia on the motor side over that of the rotor
    temperature: float  # °C of the winding, NaN where unknown
    loads: dict[str, float] = field(default_factory=dict)
    energy: float = 0.0  # J per cycle

    @property
    def fits(self) -> bool:
        """Whether no limit is passed."""
        return all(x <= 1.0 for x in self.loads.values())

    @property
    def margin(self) -> float:
        """What is left of the tightest limit."""
        return 1.0 - max(self.loads.values(), default=0.0)

    @property
    def mass(self) -> float:
        """Motor and gear, kg."""
        return self.motor.mass + self.gear.mass

    @property
    def cost(self) -> float:
        """Motor and gear."""
        return self.motor.cost + self.gear.cost


@dataclass(frozen=True, eq=False)
class Sizing:
    """Every pair of motor and gear at every joint, and the best of them."""

    m: Mechanism = field(repr=False)
    choices: dict[str, list[Choice]] = field(repr=False)
    t: Array = field(repr=False)
    tau: Array = field(repr=False)  # on the joint side, without rotors
    qd: Array = field(repr=False)
    qdd: Array = field(repr=False)

    def best(self, by: str = "mass") -> dict[str, Choice | None]:
        """Return the pair that fits with the least mass, cost or energy at each joint."""
        if by not in ("mass", "cost", "energy", "margin"):
            raise UsageError(f"by={by!r}", hint="mass, cost, energy or margin")
        sign = -1.0 if by == "margin" else 1.0
        out: dict[str, Choice | None] = {}
        for joint, every in self.choices.items():
            fit = [c for c in every if c.fits]
            out[joint] = min(fit, key=lambda c: (sign * getattr(c, by), -c.margin), default=None)
        return out

    def text(self, by: str = "mass") -> str:
        """Return the best pair of each joint, or what comes nearest."""
        rows = [f"{'joint':<16}{'motor':<16}{'gear':<14}{'peak':>8}{'rms':>8}{'speed':>8}"
                f"{'J ratio':>9}{'margin':>9}"]  # fmt: skip
        best = self.best(by)
        warm = any(c is not None and np.isfinite(c.temperature) for c in best.values())
        rows[0] += f"{'winding':>9}" if warm else ""
        for joint, c in best.items():
            if c is None:
                near = self.nearest(joint)
                worst = max(near.loads, key=lambda n: near.loads[n])
                rows.append(
                    f"{shown(joint):<16}none fits; nearest {shown(near.motor.name)} with "
                    f"{shown(near.gear.name)}: {worst} at {100 * near.loads[worst]:.0f} %"
                )
                continue
            rows.append(
                f"{shown(joint):<16}{shown(c.motor.name):<16}{shown(c.gear.name):<14}"
                + "".join(f"{100 * c.loads.get(n, 0):>7.0f}%" for n in ("peak", "rms", "speed"))
                + f"{c.inertia_ratio:>9.3g}{100 * c.margin:>8.0f}%"
                + (f"{c.temperature:>6.0f} °C" if np.isfinite(c.temperature) else "")
            )
        return "\n".join(rows)

    __str__ = __repr__ = text

    def plot(self, path: str | Path | None = None, by: str = "mass") -> Any:
        """Return torque-speed planes: the cycle as a cloud beside the limits of the best pair.

        Where no pair fits, the nearest one is drawn, and the title says so.
        """
        from .size_plot import planes

        made = planes(self, by)
        if path is not None:
            made.savefig(path, dpi=110)
        return made

    def nearest(self, joint: str) -> Choice:
        """Return the pair whose tightest limit is passed least."""
        return max(self.choices[joint], key=lambda x: x.margin)


def size(
    m: Mechanism, cycle: Mapping[str, Any] | str | Path, motors: Parts, gears: Parts | None = None
) -> Sizing:
    """Return how each motor and gear of a catalogue copes with a duty cycle at each joint.

    `cycle` is a mapping or a TOML file: `moves = [{ to = [...], time = 0.8 }, { dwell = 0.5 }]`,
    with `payload = { frame, mass, com }` on moves that carry one. `motors` and `gears` are lists;
    `motors` may be a TOML file with [[motor]] and [[gear]], or a CSV file of motors.

    >>> import dalembert as da
    >>> m = da.load("RZ(), TXK(1); gravity = (0, 0, 0); body 1: M = 1, I = (0, 0, 2);")
    >>> cycle = {"moves": [{"to": [1.0], "time": 1.0}, {"dwell": 0.5}]}
    >>> motors = [{"name": "A", "inertia": 5e-4, "continuous": 0.3, "peak": 1.0, "speed": 400.0}]
    >>> gears = [{"name": f"i{n}", "ratio": n} for n in (20, 63, 200)]
    >>> da.size(m, cycle, motors, gears).best("margin")["j1"].gear.name
    'i63'
    """
    require_mechanism(m, "size")
    if is_closed(m) or m.nq != m.nv:
        raise UsageError(
            "drives are sized on trees with one coordinate per joint",
            hint="da.torques_along(m, ...) gives peak and rms of the motors of other machines",
            command="dalembert torques gives peak and rms of the motors of other machines",
        )
    own_motors, own_gears = catalogue(motors, gears)
    t, q, qd, qdd, tau = _cycle(m, cycle)
    M = np.asarray(evaluate(_bare(m), "mass_matrix", q, drives="inertia"))
    choices: dict[str, list[Choice]] = {}
    for k in _sized(m, q, qd, tau):
        name, load = m.rate_names[k], float(np.median(M[:, k, k]))
        choices[name] = [
            _judged(name, motor, gear, t, qd[:, k], qdd[:, k], tau[:, k], load)
            for motor in own_motors
            for gear in own_gears
        ]
    return Sizing(m, choices, t, tau, qd, qdd)


def _sized(m: Mechanism, q: Array, qd: Array, tau: Array) -> list[int]:
    """Return the rates that have a motor; no other joint may need a force in the cycle."""
    driven = [k for j in tree_motors(m) for k in m.rates_of(j)]
    if not driven:
        raise UsageError("no joint has a motor", hint='active = ["a", "b"] names those that have')
    most, joints = np.abs(tau).max(axis=0), m.rate_joints
    others = [k for k in range(m.nv) if k not in driven and joints[k] not in m.prescribed]
    least = 1e-9 * largest_terms(m, q, qd, tau).max() if others else 0.0
    for k in others:
        if most[k] > least:
            name = m.rate_names[k]
            raise UsageError(
                f"joint {shown(name)!r} has no motor, and needs up to {most[k]:.4g} "
                f"{force_and_speed(m, name)[0]} in the cycle",
                hint=f"name it in active, or lock it: m.lock([{shown(joints[k])!r}])",
                command=f"name it in active, or add --lock {shown(joints[k])}",
            )
    return driven


def on_shaft(motor: Motor, gear: Gear, qd: Array, qdd: Array, tau: Array) -> tuple[Array, Array]:
    """Return speed and torque of the motor's shaft; its own rotor is accelerated too."""
    N = gear.ratio
    # driving, the gear takes its part; braking, it helps
    share = np.where(tau * qd >= 0, 1 / gear.efficiency, gear.efficiency)
    return N * qd, tau * share / N + (motor.inertia + gear.inertia) * N * qdd


def _judged(
    joint: str, motor: Motor, gear: Gear, t: Array, qd: Array, qdd: Array, tau: Array, load: float
) -> Choice:
    """Return the loads of one pair: its rotor is accelerated too, losses go the way of power."""
    N = gear.ratio
    rotor = motor.inertia + gear.inertia
    speed, torque = on_shaft(motor, gear, qd, qdd, tau)
    rms = _rms(t, torque)
    power = torque * speed
    heat, temperature = 0.0, np.nan
    if motor.resistance and motor.constant and motor.thermal:
        heat = motor.resistance * (rms / motor.constant) ** 2
        temperature = AMBIENT + motor.thermal * heat
    loads = {
        "peak": _part(np.abs(torque).max(), motor.peak),
        "rms": _part(rms, motor.continuous),
        "speed": _part(np.abs(speed).max(), motor.speed),
        "gear torque": _part(np.abs(tau).max(), gear.peak),
        "gear speed": _part(np.abs(qd).max(), gear.speed),
    }
    if np.isfinite(temperature):
        loads["temperature"] = (temperature - AMBIENT) / (HOTTEST - AMBIENT)
    h = np.diff(t)
    drawn = np.maximum(power, 0.0)
    energy = float(((drawn[1:] + drawn[:-1]) / 2 * h).sum() + heat * (t[-1] - t[0]))
    ratio = load / (N * N * rotor) if rotor else np.inf
    return Choice(
        joint, motor, gear, float(np.abs(torque).max()), rms, float(np.abs(speed).max()),
        float(np.abs(power).max()), float(ratio), float(temperature), loads, energy,
    )  # fmt: skip


def _part(x: float, limit: float) -> float:
    if limit == 0:
        return np.inf if x > 0 else 0.0
    return float(x / limit) if np.isfinite(limit) else 0.0


def _rms(t: Array, x: Array) -> float:
    h = np.diff(t)
    return float(np.sqrt(((x[1:] ** 2 + x[:-1] ** 2) / 2 * h).sum() / (t[-1] - t[0])))


def _cycle(m: Mechanism, cycle: Any, where: Place | None = None) -> tuple[Array, ...]:
    """Return t, q, qd, qdd and forces (rotors left out) of a whole cycle."""
    if isinstance(cycle, str | Path):
        with placed(cycle):
            document = plain_document(cycle)
            return _cycle(m, document.data, Inside(str(cycle), document=document))
    if isinstance(cycle, Mapping) and "moves" not in cycle and "joint_moves" in cycle:
        cycle = {"moves" if key == "joint_moves" else key: x for key, x in cycle.items()}
    moves = cycle.get("moves") if isinstance(cycle, Mapping) else None
    if not isinstance(moves, list | tuple) or not moves:
        raise UsageError(
            "a cycle is a list of moves",
            hint="moves = [{ from = [0, 0], to = [1, 0.5], time = 0.8 }, { dwell = 0.5 }]",
        )
    only_keys("a cycle", cycle, ("moves", "samples"), where)
    start, clock, samples = [0.0] * len(motors(m)), 0.0, cycle.get("samples", 60)
    parts: list[tuple[Array, ...]] = []
    for k, move in enumerate(moves):
        at, usual = inside(where, "moves", k), "{ to = [1, 0.5], time = 0.8 }"
        if not isinstance(move, Mapping):
            raise UsageError(f"move {k + 1} is no table", at, hint=usual)
        only_keys(f"move {k + 1}", move, CYCLE, at)
        if not {"to", "dwell"} & {*move} or {"to", "dwell"} <= {*move}:
            raise UsageError(f"move {k + 1} goes `to` a place, or has a `dwell`", at, hint=MOVES)
        given = move.get("from", start)
        if k and [*np.atleast_1d(given)] != start:
            why = f"move {k + 1} begins elsewhere than move {k} ends"
            raise UsageError(why, inside(at, "from"), hint="leave out its `from`")
        start = given
        if "dwell" in move:
            move = {**move, "to": start, "time": move["dwell"]}
        task = checked_task(m, {"joint_moves": [{"from": start, "to": move.get("to", start),
                                                 "time": move.get("time", 1.0)}],
                                "samples": samples}, at)  # fmt: skip
        x = motion_of(m, task, {"": np.zeros(1)})
        loaded = _loaded(m, move.get("payload"))
        q, qd, qdd = x.q[0], x.qd[0], x.qdd[0]
        tau = evaluate(_bare(loaded), "inverse_dynamics", q, qd, qdd, drives="all")
        parts.append((clock + x.t, q, qd, qdd, np.asarray(tau)))
        clock, start = clock + float(x.t[-1]), task["joint_moves"][0]["to"]
    return tuple(np.concatenate([p[k] for p in parts]) for k in range(5))


def _bare(m: Mechanism) -> Mechanism:
    """Return the machine without the rotors to be chosen; those of joints that follow are load."""
    own = tree_motors(m)
    rest = tuple(replace(d, inertia=0) if d.joint in own else d for d in m.drives)
    return replace(m, drives=rest)


def _loaded(m: Mechanism, payload: Any) -> Mechanism:
    if payload is None or payload == {}:
        return m
    if not isinstance(payload, Mapping) or not {"frame", "mass"} <= set(payload):
        raise UsageError("a payload has a frame and a mass", hint='{ frame = "tip", mass = 2.5 }')
    only_keys("a payload", payload, ("frame", "mass", "com"), None)
    mass = payload["mass"]
    if isinstance(mass, bool) or not isinstance(mass, int | float) or not 0 <= mass < np.inf:
        raise UsageError(f"payload: mass = {shown(repr(mass))}", hint="write it in kg, such as 2.5")
    return m.with_payload(payload["frame"], payload["mass"], payload.get("com", (0, 0, 0)))
