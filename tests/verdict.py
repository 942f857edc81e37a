"""What dalembert says of a machine, judged by the referee: every finding is one line of text.

Asked are regular closed poses, several of them, found from random starts: motor forces of a
feasible motion, accelerations of given forces, both at once; one state, a batch, the kernel with
its certificate, and exported C. A refusal is right where the referee sees its reason.
"""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import dalembert as da
import referee
from dalembert.errors import DalembertError

CLEAR = (0.004, 2e-4)  # singular values that are not zero are above this, or the pose is not asked
LOOSE = 1e-8  # of the largest term, over the smallest singular value
CHECKED = 1e-9  # a kernel's certificate above this says that its answer does not hold


@dataclass
class Case:
    """A state, the motion and the forces that the referee finds there."""

    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray  # a motion that all constraints allow
    tau: np.ndarray | None  # its motor forces, least norm; None where motors cannot make it
    push: np.ndarray  # other motor forces
    answer: np.ndarray | None  # accelerations they give
    scale: float  # largest force
    clear: float  # smallest singular value
    lead: float  # the same of the motors' part in the motions

    @property
    def blurred(self) -> float:
        """The rounding of motor forces: accelerations follow from the motors by its square."""
        return 100 * np.finfo(float).eps / self.lead**2


def with_motors(data: dict, q: np.ndarray) -> dict:
    """Return the machine with as many motors as it has freedoms, the first joints that serve."""
    if data["active"]:
        return data
    s = referee.State(data, q)
    found: list[str] = []
    rows = np.zeros((0, s.Z.shape[1]))
    followers = [c["joint"] for c in data.get("couplings", [])]
    for name, _, v in s.m.names():
        more = np.vstack([rows, s.Z[s.n + v]])
        if (
            name not in followers
            and np.linalg.svd(more, compute_uv=False)[len(found) :].min() > 0.05
        ):
            found, rows = [*found, name], more
        if len(found) == s.Z.shape[1]:
            break
    return data | {"active": found}


def regular_poses(data: dict, q: np.ndarray, rng: Any, count: int) -> list[np.ndarray]:
    """Return closed poses that are not near a singular one: the drawn one, others far from it.

    Some machines are always near one: they are asked a little nearer.
    """
    return next(filter(None, (_clear(data, q, rng, count, least) for least in CLEAR)), [])


def _clear(data: dict, q: np.ndarray, rng: Any, count: int, least: float) -> list[np.ndarray]:
    m, found = referee.read(data), []
    for k in range(12 * count):
        step = rng.normal(size=m.nv) * (0.2 if k % 2 else 1.0)
        near = referee.close(m, referee.shifted(m, q, step)) if k else q
        if near is None:
            continue
        values = referee.State(m, near).singular_values
        clear = values[values > referee.solve.RANK].min(initial=1.0)
        if clear > least and not referee.is_singular(m, near):
            found.append(near)
        if len(found) == count:
            break
    return found


def cases(data: dict, q: np.ndarray, seed: int = 0, count: int = 3) -> Iterator[Case]:
    """Yield states with the referee's answers."""
    rng = np.random.default_rng([seed, 3])
    for pose in regular_poses(data, q, rng, count):
        qd, qdd = referee.feasible(data, pose, rng)
        s = referee.State(data, pose, qd)
        x = s._from_joints(qdd, s.second[: s.n])
        scale = max(1.0, np.abs(s.mass @ x).max(), np.abs(s.force).max())
        values = s.singular_values
        clear = values[values > referee.solve.RANK].min(initial=1.0)
        try:
            tau = referee.inverse(data, pose, qd, qdd)
            scale = max(scale, np.abs(tau).max(initial=0))
        except referee.Impossible:
            tau = None
        push = rng.normal(size=len(s.motors))
        try:
            answer = referee.forward(data, pose, qd, push)
        except referee.NotUnique:
            answer = None
        led = np.linalg.svd(s.Z[s.n :][s.motors], compute_uv=False)
        lead = led[led > referee.solve.RANK].min(initial=1.0)
        yield Case(pose, qd, qdd, tau, push, answer, scale, clear, lead)


def compare(what: str, found: Any, wanted: Any, scale: float, case: Case) -> list[str]:
    """Return a finding where two answers differ; direct models do not ask where motors lead."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    if found.shape != wanted.shape:
        return [f"{what}: shape {found.shape}, not {wanted.shape}"]
    error = np.abs(found - wanted).max(initial=0)
    loose = LOOSE / case.clear + (0.0 if "forward" in what else case.blurred)
    if not error <= loose * max(scale, np.abs(wanted).max(initial=0)):
        with np.printoptions(precision=5, suppress=True):
            return [f"{what}: WRONG {found} for {wanted}"]
    return []


def asked(what: str, call: Callable[[], Any], wanted: Any, scale: float, case: Case) -> list[str]:
    """Return findings of one call: refused though there is an answer, or answered without one."""
    try:
        found = call()
    except DalembertError as error:
        text = str(error).splitlines()[0]
        return [] if wanted is None else [f"{what}: REFUSED, {type(error).__name__}: {text}"]
    except Exception as error:
        return [f"{what}: RAW {type(error).__name__}: {error}"]
    if wanted is None:
        return [f"{what}: ANSWERED {found} where there is no answer"]
    return compare(what, found, wanted, scale, case)


def judge(data: dict, q: np.ndarray, seed: int = 0, count: int = 3) -> list[str]:
    """Return all findings on one machine, none if it is right."""
    data = with_motors(data, q)
    try:
        m = da.load(data, mimic="couple")
    except DalembertError as error:
        return [f"load: REFUSED {error}"]
    found: list[str] = []
    told = list(cases(data, q, seed, count))
    if not told:
        return ["no regular pose"]
    for k, case in enumerate(told):
        found += [f"state {k}: {line}" for line in one_state(m, data, case)]
    if data.get("couplings"):
        found += substituted(data, told)
    return found + singular(m, data, q, told[0]) + batch(m, told) + kernel(m, told)


def one_state(m: Any, data: dict, c: Case) -> list[str]:
    """Return findings on inverse, direct and hybrid dynamics at one state."""
    state = c.q, c.qd
    size = 1 + np.abs(c.qdd).max()
    found = inverse(m, data, c)
    found += asked("forward", lambda: da.forward_dynamics(m, *state, c.push), c.answer, size, c)
    return found + hybrid(m, data, c)


def inverse(m: Any, data: dict, c: Case) -> list[str]:
    """Return findings on motor forces; what no motor moves may be refused, or left to itself."""

    def call() -> Any:
        return da.inverse_dynamics(m, c.q, c.qd, c.qdd)

    found = asked("inverse", call, c.tau, c.scale, c)
    if c.tau is not None or not found:
        return found
    r = referee.read(data)
    moved = {name: c.qdd[r.rate(name)][0] for name in data["active"]}
    try:
        forces = referee.hybrid(data, c.q, c.qd, moved, {})[1][r.active]
    except (referee.NotUnique, referee.Impossible):
        return found
    return asked("inverse, others free", call, forces, c.scale + np.abs(forces).max(), c)


def hybrid(m: Any, data: dict, c: Case) -> list[str]:
    """Return findings on hybrid dynamics: the first motor is moved, the others are pushed."""
    r, moved, *pushed = referee.read(data), *data["active"]
    x = np.zeros(r.nv)
    x[r.rate(moved)] = c.qdd[r.rate(moved)]
    forces = {}
    for k, name in enumerate(pushed):
        x[r.rate(name)] = forces[name] = c.push[k + 1]
    try:
        qdd, tau = referee.hybrid(data, c.q, c.qd, {moved: c.qdd[r.rate(moved)][0]}, forces)
    except (referee.NotUnique, referee.Impossible):
        return []
    if not referee.motors_suffice(data, c.q) or len(r.active) > referee.mobility(data, c.q):
        return []
    motors = [tau[r.rate(name)][0] for name in data["active"]]
    wanted = np.concatenate([qdd, motors])

    def call() -> np.ndarray:
        return np.concatenate(da.hybrid_dynamics(m, c.q, c.qd, x, given=[moved]))

    return asked("hybrid", call, wanted, c.scale + 1 + np.abs(wanted).max(), c)


def substituted(data: dict, told: list[Case]) -> list[str]:
    """Return findings on the machine as it is read, where followers are no coordinates."""
    m, r = da.load(data), referee.read(data)
    if m.nq == r.nq:  # followers were kept, and judged so already
        return []
    gone = [r.rate(c["joint"]).start for c in data["couplings"]]  # all joints have one freedom here
    left = [k for k in range(r.nv) if k not in gone]
    found = []
    for c in told:
        q, qd, qdd = (x[left] for x in (c.q, c.qd, c.qdd))
        size, answer = 1 + np.abs(c.qdd).max(), None if c.answer is None else c.answer[left]

        def inverse(x: Any = (q, qd, qdd)) -> Any:
            return da.inverse_dynamics(m, *x)

        def forward(x: Any = (q, qd, c.push)) -> Any:
            return da.forward_dynamics(m, *x)

        found += asked("substituted inverse", inverse, c.tau, c.scale, c)
        found += asked("substituted forward", forward, answer, size, c)
    return found


def singular(m: Any, data: dict, q: np.ndarray, case: Case) -> list[str]:
    """Return findings at the drawn pose where it is singular: there is no answer at all."""
    if not referee.is_singular(data, q):
        return []
    rest, push = np.zeros(m.nv), case.push
    found = asked("singular inverse", lambda: da.inverse_dynamics(m, q, rest, rest), None, 1, case)
    return found + asked("singular forward", lambda: da.forward_dynamics(m, q, rest, push), None, 1,
                         case)  # fmt: skip


def batch(m: Any, told: list[Case]) -> list[str]:
    """Return findings on all states at once: branches are mixed, answers are those of each."""
    good = [c for c in told if c.tau is not None]
    if len(good) < 2:
        return []
    stack = [np.stack([getattr(c, k) for c in good]) for k in ("q", "qd", "qdd", "tau")]
    worst = max(good, key=lambda c: c.scale / c.clear)
    return asked("batch", lambda: da.inverse_dynamics(m, *stack[:3]), stack[3], worst.scale, worst)


def kernel(m: Any, told: list[Case]) -> list[str]:
    """Return findings on the compiled kernel: right wherever its own checks say so."""
    good = [c for c in told if c.tau is not None]
    if not good:
        return []
    try:
        k = da.compile(m, "inverse_dynamics")
    except DalembertError as error:
        return [f"kernel: REFUSED {error}"]
    names = [port.name for port in k.outputs]
    found = []
    for c in good:
        out = dict(zip(names, k(c.q, c.qd, c.qdd), strict=True))
        if holds(out):
            found += compare("kernel", out["tau"], c.tau, c.scale, c)
    return found


def holds(checks: Any) -> bool:
    """Return whether a kernel says that its answer holds."""
    low = float(np.min(checks["pivot"])) > 1e-6
    high = max(np.abs(checks.get(k, 0)).max() for k in ("residual", "certificate"))
    return low and high < CHECKED


def potential(m: referee.Machine, q: np.ndarray) -> float:
    """Return the energy of the weights."""
    pairs = zip(m.bodies, referee.rows.poses(m, q), strict=False)
    return -sum(b.mass * m.gravity @ (p + R @ b.com) for b, (R, p) in pairs)


def exported(data: dict, q: np.ndarray, folder: Path, seed: int = 0) -> list[str]:
    """Return findings on exported C, compiled with gcc: tau, then residual, pivot, certificate."""
    data = with_motors(data, q) | {"name": "machine"}
    m, told = da.load(data, mimic="couple"), list(cases(data, q, seed, 3))
    da.export(m, ["inverse_dynamics"], language="c", path=folder)
    together = "checks)" in (folder / "machine.h").read_text()
    library = folder / "machine.so"
    source = folder / "machine.c"
    command = ["gcc", "-O1", "-shared", "-fPIC", "-o", library, source, "-lm"]
    subprocess.run(command, check=True, capture_output=True)
    run = ctypes.CDLL(str(library)).machine_inverse_dynamics_checked
    found = []
    for c in (c for c in told if c.tau is not None):
        tau, own = np.zeros(len(c.tau)), [np.zeros(1000), np.ones(1), np.zeros(1)]
        checks = np.zeros(3)
        arrays = [np.ascontiguousarray(x, float) for x in (c.q, c.qd, c.qdd)]
        more = [checks] if together else own
        run(*(x.ctypes for x in arrays), None, tau.ctypes, *(x.ctypes for x in more))
        if holds(dict(zip(("residual", "pivot", "certificate"), checks if together else own,
                          strict=True))):  # fmt: skip
            found += compare("C", tau, c.tau, c.scale, c)
    return found
