"""Every public robot: each file of a folder loads and agrees with other engines, or says why not.

    python tests/corpus.py DIR... [--json OUT] [--jobs N]
    python tests/corpus.py --fetch DIR          # the packages of PACKAGES, from the package index

A URDF is compared with Pinocchio's own reading of it, an MJCF file with MuJoCo's; every numeric
tree also with the algorithms of Pinocchio on the mechanism that was read. Files are read in other
processes: one that crashes or hangs is a row of the table like any other. A xacro file is expanded
first, which runs Python of the file: name folders that you trust.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from dataclasses import dataclass, field, replace
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

import numpy as np

# each is a folder of robots that anybody can have from the package index
PACKAGES = {
    "example-robot-data": "6.0.0",
    "rtb-data": "2.0.0",
    "pybullet": "3.2.7",
    "dm-control": "1.0.50",
    "robosuite": "1.5.2",
    "gymnasium": "1.4.0",
}
ENDINGS = (".urdf", ".xacro", ".sdf", ".xml", ".par")
SLOW = 5.0  # seconds of processor time for reading a robot and compiling four kernels of it
STOP = 600.0  # seconds of the clock after which a file counts as hanging
TOLERANCE = 1e-11  # of the largest term summed; texts are rounded twice on the way
STATES = 3
# what a maintainer would accept as the reason of a refusal
REASONS = {
    "MuJoCo cannot open a file": r"MJCF:.*Error opening file",
    "MuJoCo refuses it": r"MJCF:.*Error",
    "not a robot": r"is neither|not a robot|no <robot>|root element|cannot tell|first element|is <",
    "xacro": r"xacro|\$\{|\$\(",
    "missing file": r"No such file|cannot be opened|Error opening|not found|could not be found|"
    r"there is no file|does not exist|missing|no file",
    "contradiction": r"duplicate|repeated|two parents|several|no link|no joint|loop|cycle|twice|"
    r"not defined|unknown|undefined|never described|root",
    "inertia": r"inertia|mass|triangle|positive",
    "joint": r"joint|axis|limit|mimic",
    "broken text": r"not well-formed|XML|mismatched|syntax|invalid token|number|UTF-8|bytes|empty",
    "too large": r"too large|more than",
}


@dataclass
class Row:
    """What became of one file."""

    file: str
    kind: str
    verdict: str  # agrees, still, refused, disagrees, crash, hangs, raw error
    reason: str = ""
    peers: list[str] = field(default_factory=list)
    worst: float = 0.0
    seconds: float = 0.0
    dof: int = 0


def reason_of(message: str) -> str:
    """Return the class of a refusal."""
    for name, pattern in REASONS.items():
        if re.search(pattern, message, re.IGNORECASE):
            return name
    return "other"


# -- one file --------------------------------------------------------------------------------------


def judge(file: str) -> Row:
    """Return the row of one file."""
    import dalembert as da

    kind = Path(file).suffix[1:].lower()
    watch, text = Watch(), ""
    try:
        if kind == "xacro":
            from dalembert.cli.xacro import expanded

            text = expanded(Path(file), {})
        with watch:
            m = da.load(text or file, mimic="free", snap=0)
    except da.DalembertError as error:
        text = str(error)
        row = Row(file, kind, "refused", f"{reason_of(text)}: {text.splitlines()[0][:300]}")
        row.seconds = watch.seconds
        return row
    row = Row(file, "mjcf" if kind == "xml" and not is_urdf(file) else kind, "agrees", dof=m.nv)
    if not m.nv:
        row.verdict = "still"
    elif m.open_parameters:
        row.verdict, row.reason = "agrees", "symbols without values: read only"
    else:
        try:
            compare(row, m, watch, text)
        except da.DalembertError as error:
            row.verdict, row.reason = "disagrees", f"{type(error).__name__}: {error}"
    row.seconds = watch.seconds
    if row.verdict == "agrees" and row.worst > 1:
        row.verdict = "disagrees"
    return row


class Watch:
    """Processor seconds of what stands in its `with` blocks: our reading and computing alone."""

    seconds = 0.0

    def __enter__(self) -> None:
        self.start = time.process_time()

    def __exit__(self, *_: object) -> None:
        self.seconds += time.process_time() - self.start


def is_urdf(file: str) -> bool:
    """Return whether an XML file is a URDF."""
    with open(file, "rb") as opened:
        return b"<robot" in opened.read(100_000)


def compare(row: Row, m: Any, watch: Watch, text: str = "") -> None:
    """Compute four quantities at random states beside the other engines."""
    import dalembert as da

    with watch:
        tree = replace(m.bare_tree, elastic=(), checked=True)  # others count springs apart
        bound = tree.bound()
    scales, engines = Scales(bound), engines_of(row, m, text)
    rng = np.random.default_rng(7)
    options: dict[str, Any] = {"drives": "inertia"}
    for _ in range(STATES):
        q, qd, qdd = state(bound, rng)
        with watch:
            tau = da.inverse_dynamics(tree, q, qd, qdd, **options)
            M, g = da.mass_matrix(tree, q, **options), da.gravity(tree, q)
        scale = scales.forces(q, qd, qdd)
        direct = None
        if direct_exists(M):
            with watch:
                direct = da.forward_dynamics(tree, q, qd, tau, **options)
            law = scales.accelerations(M, qdd, scale)
            row.worst = max(row.worst, worst(direct, qdd, law) if np.isfinite(law).all() else 0)
        for engine in engines:
            t2, M2, g2 = engine(q, qd, qdd)
            found = {
                "inverse dynamics": worst(tau, t2, TOLERANCE * scale),
                "mass matrix": worst(M, M2, TOLERANCE * scales.masses(q, M)),
                "gravity": worst(g, g2, TOLERANCE * scales.forces(q, 0 * qd, 0 * qdd)),
            }
            for what, x in found.items():
                if x > 1 and not row.reason:
                    row.reason = f"{what} beside {engine.name}: {x * TOLERANCE:.1e} of the scale"
                row.worst = max(row.worst, x)
    row.peers = [e.name for e in engines]


def direct_exists(M: np.ndarray) -> bool:
    """Return whether the joints move inertia: an M that is not singular to working precision."""
    from agreement import conditioning

    kappa, _ = conditioning(M)
    return bool(np.isfinite(kappa) and kappa < 1e13)


def worst(x: Any, ref: Any, scale: Any) -> float:
    """Return the largest difference in units of the scale."""
    import agreement

    return agreement.worst(x, ref, scale)


class Scales:
    """The largest terms that are summed for each result."""

    def __init__(self, m: Any):
        self.m = m

    def forces(self, q: Any, qd: Any, qdd: Any) -> np.ndarray:
        """Of joint forces."""
        from agreement import drive_scale, force_scale

        lists = [x.tolist() for x in (q, qd, qdd)]
        scale = np.maximum(force_scale(self.m, *lists, form="world"), drive_scale(self.m, qd, qdd))
        return np.maximum(scale, 1e-9 * scale.max(initial=0.0)) + 1e-300

    def masses(self, q: Any, M: Any) -> np.ndarray:
        """Of the mass matrix; engines that sum about mass centres mix all entries of two joints."""
        from agreement import mass_scale

        both = np.sqrt(np.abs(np.outer(np.diag(M), np.diag(M))))
        return np.maximum(mass_scale(self.m, q.tolist()), both) + 1e-300

    def accelerations(self, M: Any, qdd: Any, load: Any) -> np.ndarray:
        """Of forward dynamics: the law of conditioning."""
        from agreement import acceleration_law

        return acceleration_law(M, qdd, load)[1]


def state(m: Any, rng: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a random state; unit quaternions."""
    q, at = rng.uniform(-1, 1, m.nq), 0
    for body in m.bodies:
        at += body.joint.nq
        if body.joint.kind in ("spherical", "free"):
            q[at - 4 : at] /= np.linalg.norm(q[at - 4 : at])
    return q, rng.uniform(-1, 1, m.nv), rng.uniform(-1, 1, m.nv)


# -- other engines ---------------------------------------------------------------------------------


def engines_of(row: Row, m: Any, text: str = "") -> list[Any]:
    """Return what the file, or the text it was expanded to, can be compared with."""
    found: list[Any] = []
    if row.kind in ("urdf", "xacro"):
        try:
            found.append(PinocchioReading(text or Path(row.file).read_text(), m))
        except (ValueError, RuntimeError) as error:
            row.reason = f"Pinocchio cannot read it: {str(error)[:80]}"
    elif row.kind == "mjcf":
        found.append(MuJoCoReading(row.file, m))
    try:
        found.append(PinocchioAlgorithms(m))
    except RuntimeError as error:  # it refuses inertias that we note and keep
        row.reason = row.reason or f"Pinocchio cannot build it: {str(error)[:80]}"
    return found


class PinocchioReading:
    """Pinocchio on the text itself; joints are found by their names."""

    name = "Pinocchio's reading"

    def __init__(self, text: str, m: Any):
        import pinocchio as pin

        from dalembert.mechanism import joint_name

        self.m, self.model = m.bound(), pin.buildModelFromXML(text)
        self.data = self.model.createData()
        self.model.gravity.linear = np.array([float(x) for x in self.m.gravity])
        self.joints = []
        moving = [b for b in self.m.bodies if b.joint.nv]
        if len(moving) != self.model.njoints - 1:
            raise RuntimeError(f"{self.model.njoints - 1} joints there, {len(moving)} here")
        for body in self.m.bodies:
            if body.joint.nv:
                index = self.model.getJointId(joint_name(body))
                self.joints.append((body.joint, self.model.joints[index]))

    def __call__(self, q: Any, qd: Any, qdd: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return forces, mass matrix and gravity in our order."""
        import pinocchio as pin

        model, n = self.model, self.model.nv
        theirs, order, turned = pin.neutral(model), np.zeros(n, int), np.eye(n)
        at = v = 0
        rates = []
        for joint, other in self.joints:
            part = q[at : at + joint.nq]
            a, b = other.idx_q, other.idx_v
            order[v : v + joint.nv] = range(b, b + joint.nv)
            if joint.kind == "planar":  # rates in its own axes there
                c, s = np.cos(part[2]), np.sin(part[2])
                theirs[a : a + 4] = [part[0], part[1], c, s]
                turned[v : v + 2, v : v + 2] = [[c, s], [-s, c]]
                rates.append(v)
            elif other.nq == 2:
                theirs[a : a + 2] = np.cos(part[0]), np.sin(part[0])
            else:
                theirs[a : a + joint.nq] = part
            at, v = at + joint.nq, v + joint.nv
        speed, push = np.zeros(n), np.zeros(n)
        speed[order] = turned @ qd
        change = turned @ qdd
        for v in rates:  # R' turns with the joint
            w, (x, y) = qd[v + 2], (turned @ qd)[v : v + 2]
            change[v] += w * y
            change[v + 1] -= w * x
        push[order] = change
        M = pin.crba(model, self.data, theirs)
        M = np.triu(M) + np.triu(M, 1).T
        tau = pin.rnea(model, self.data, theirs, speed, push)
        g = pin.computeGeneralizedGravity(model, self.data, theirs)
        back = turned.T
        rotor = np.zeros((n, n))
        for d in self.m.drives:
            k = self.m.velocity_index[d.joint]
            rotor[k, k] = float(d.gear) ** 2 * float(d.inertia)
        M_ = back @ M[np.ix_(order, order)] @ turned + rotor
        return back @ tau[order] + rotor @ qdd, M_, back @ g[order]


class PinocchioAlgorithms:
    """Pinocchio's algorithms on the mechanism that was read."""

    name = "Pinocchio's algorithms"

    def __init__(self, m: Any):
        from pinocchio_model import to_pinocchio

        self.model = to_pinocchio(m.bare_tree)
        self.data = self.model.createData()

    def __call__(self, q: Any, qd: Any, qdd: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return forces, mass matrix and gravity."""
        import pinocchio as pin

        model, data = self.model, self.data
        tau, rest = pin.rnea(model, data, q, qd, qdd), 0 * qd
        g = np.array(pin.computeGeneralizedGravity(model, data, q))
        # by columns: its own mass matrix asks that bodies are numbered depth first
        gravity, model.gravity.linear = np.array(model.gravity.linear), np.zeros(3)
        M = np.array([pin.rnea(model, data, q, rest, e) for e in np.eye(model.nv)]).T
        model.gravity.linear = gravity
        return tau, M, g


class MuJoCoReading:
    """MuJoCo on the file itself; coordinates stand in the same order."""

    name = "MuJoCo's reading"

    def __init__(self, file: str, m: Any):
        import mujoco

        self.m, self.mujoco = m.bound(), mujoco
        self.model = mujoco.MjModel.from_xml_path(file)
        for k in range(self.model.njnt):
            if self.model.jnt_type[k] in (0, 1):  # noted as not read: no motor turns such a joint
                at = self.model.jnt_dofadr[k]
                self.model.dof_armature[at : at + (6, 3)[self.model.jnt_type[k]]] = 0
        self.data = mujoco.MjData(self.model)

    def _set(self, q: Any, qd: Any) -> np.ndarray:
        """Set a state; return B with (our velocities) = B (MuJoCo's)."""
        from dalembert.joint import quaternion_matrix

        model, data = self.model, self.data
        B, at, v = np.eye(self.m.nv), 0, 0
        data.qpos[:], data.qvel[:] = q, qd
        for body in self.m.bodies:
            kind = body.joint.kind
            if kind in ("spherical", "free"):
                last = at + body.joint.nq
                data.qpos[last - 4 : last] = np.roll(q[last - 4 : last], 1)
            if kind == "free":
                R = np.array(quaternion_matrix(*q[at + 3 : at + 7]).rows, dtype=float)
                B[v : v + 3, v : v + 3] = R.T
                data.qvel[v : v + 3] = R @ qd[v : v + 3]
            at, v = at + body.joint.nq, v + body.joint.nv
        self.mujoco.mj_fwdPosition(model, data)
        self.mujoco.mj_fwdVelocity(model, data)
        return B

    def __call__(self, q: Any, qd: Any, qdd: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return forces, mass matrix and gravity in our coordinates."""
        model, data, n = self.model, self.data, self.m.nv
        B = self._set(q, 0 * qd)
        full, bias, g = np.zeros((n, n)), np.zeros(n), np.zeros(n)
        self.mujoco.mj_fullM(model, data, full)
        self.mujoco.mj_rne(model, data, 0, g)
        self._set(q, qd)
        self.mujoco.mj_rne(model, data, 0, bias)
        M, v, change = B @ full @ B.T, 0, np.array(qdd, dtype=float)
        for body in self.m.bodies:
            if body.joint.kind == "free":  # rates of a twist in body axes: R' turns
                change[v : v + 3] += np.cross(qd[v + 3 : v + 6], qd[v : v + 3])
            v += body.joint.nv
        return M @ change + B @ bias, M, B @ g


# -- many files ------------------------------------------------------------------------------------


def files_in(folders: list[str]) -> list[str]:
    """Return the descriptions under folders, or files themselves, in order of name."""
    found: list[Path] = []
    for folder in map(Path, folders):
        if folder.is_file():
            found.append(folder)
        found += [p for p in folder.rglob("*") if p.suffix.lower() in ENDINGS and p.is_file()]
    return [str(p.resolve()) for p in sorted(found) if p.suffix.lower() != ".xml" or is_model(p)]


def is_model(path: Path) -> bool:
    """Return whether an XML file claims to be a whole robot, not a part or something else."""
    with open(path, "rb") as file:
        head = file.read(200_000)
    return b"<robot" in head or (b"<mujoco" in head and b"<mujocoinclude" not in head)


def worker(pipe: Any) -> None:
    """Judge files that come through a pipe until there is none."""
    work(pipe, judge)


def work(pipe: Any, judge: Any) -> None:
    """Send the row of each file that comes through a pipe until there is none."""
    sys.path.insert(0, str(Path(__file__).parent))
    warnings.simplefilter("ignore")
    os.chdir(tempfile.gettempdir())  # MuJoCo writes its log where it is
    while (file := pipe.recv()) is not None:
        try:
            row = judge(file)
        except BaseException as error:
            row = Row(file, Path(file).suffix[1:], "raw error", f"{type(error).__name__}: {error}")
        pipe.send(row)


def judge_all(files: list[str], jobs: int = 2, said: Any = None, target: Any = None) -> list[Row]:
    """Return the row of each file; a process that dies or hangs is a row too."""
    context = multiprocessing.get_context("spawn")
    left, rows = list(reversed(files)), []
    running: dict[Any, tuple[Any, str, float]] = {}

    def start() -> None:
        here, there = context.Pipe()
        process = context.Process(target=target or worker, args=(there,), daemon=True)
        process.start()
        there.close()
        feed(here, process)

    def feed(pipe: Any, process: Any) -> None:
        if not left:
            pipe.send(None)
            process.join()
            return
        file = left.pop()
        running[pipe] = (process, file, time.monotonic())
        pipe.send(file)

    def done(row: Row) -> None:
        rows.append(row)
        if said is not None:
            said(row)

    for _ in range(min(jobs, len(files))):
        start()
    while running:
        for pipe in wait(list(running), timeout=1.0):
            process, file, _ = running.pop(pipe)
            try:
                done(pipe.recv())
                feed(pipe, process)
            except EOFError:
                process.join()
                done(Row(file, Path(file).suffix[1:], "crash", f"exit code {process.exitcode}"))
                start() if left else None
        for pipe, (process, file, since) in list(running.items()):
            if time.monotonic() - since > STOP:
                process.kill()
                process.join()
                running.pop(pipe)
                done(Row(file, Path(file).suffix[1:], "hangs", f"more than {STOP:.0f} s"))
                start() if left else None
    return sorted(rows, key=lambda r: r.file)


def table(rows: list[Row]) -> str:
    """Return the counts per kind of file, refusals by reason, and what needs a look."""
    verdicts = ("agrees", "still", "refused", "disagrees", "raw error", "crash", "hangs", "slow")
    kinds = sorted({r.kind for r in rows})
    lines = ["kind    files " + " ".join(f"{v:>9}" for v in verdicts)]
    for kind in [*kinds, "all"]:
        own = [r for r in rows if kind in (r.kind, "all")]
        count = Counter(r.verdict for r in own)
        count["slow"] = sum(r.seconds > SLOW for r in own)
        lines.append(f"{kind:7} {len(own):5} " + " ".join(f"{count[v]:9}" for v in verdicts))
    refused = Counter(r.reason.split(":")[0] for r in rows if r.verdict == "refused")
    lines += ["", "refused:"] + [f"  {n:5}  {why}" for why, n in refused.most_common()]
    odd = [r for r in rows if r.verdict not in ("agrees", "still", "refused") or r.seconds > SLOW]
    lines += ["", "to look at:"] * bool(odd)
    lines += [f"  {r.verdict} {r.seconds:.1f} s {r.file}: {r.reason[:200]}" for r in odd]
    agreed = [r for r in rows if r.verdict == "agrees" and r.peers]
    worst_ = max((r.worst for r in agreed), default=0.0)
    lines += ["", f"{len(agreed)} compared; worst difference {worst_:.2g} of the tolerance"]
    return "\n".join(lines)


def fetch(folder: str, packages: dict[str, str] | None = None) -> list[str]:
    """Return the folders of robots of the packages, installed there if they are not."""
    found = []
    for name, version in (packages or PACKAGES).items():
        place = Path(folder) / name
        if not (place / ".whole").exists():
            command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
            command += ["--target", str(place), f"{name}=={version}"]
            subprocess.run(command, check=True)
            (place / ".whole").touch()
        found.append(str(place))
    return found


def main() -> int:
    """Judge the files of folders; exit 1 where one disagrees, crashes, hangs or is slow."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--fetch", metavar="DIR", help="install the packages there and take them")
    parser.add_argument("--json", help="write the rows there")
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    folders = asked.folders + (fetch(asked.fetch) if asked.fetch else [])
    files = files_in(folders)
    if not files:
        print("no description in " + ", ".join(folders), file=sys.stderr)
        return 2
    rows = judge_all(files, asked.jobs)
    if asked.json:
        Path(asked.json).write_text(json.dumps([vars(r) for r in rows], indent=1))
    print(table(rows))
    good = all(r.verdict in ("agrees", "still", "refused") and r.seconds <= SLOW for r in rows)
    return 0 if good else 1


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    sys.exit(main())
