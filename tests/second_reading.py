"""What is read from a file beside what a second program reads from it: links and joints.

    python tests/second_reading.py DIR... [--fetch DIR] [--jobs N]

URDF and expanded xacro beside yourdfpy, MJCF beside the kinematics of MuJoCo, SDF beside Drake,
which reads it by libsdformat. All joints at zero, everything in world axes: pose, mass, mass centre
and inertia of each link; kind, axis, ends, limits and friction of each joint. What a second reader
does not know is taken out of its copy: shapes, and the gearboxes of SDF.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import corpus
from dalembert.expr.exact import to_float
from second_readers import (
    Edge,
    Link,
    Reading,
    by_drake,
    by_mujoco,
    by_yourdfpy,
    ends,
    matrix,
    most,
    placed,
    unit,
)  # fmt: skip

TOLERANCE = 1e-9  # of the size of what is compared: files are written with up to twelve digits


# -- ours ------------------------------------------------------------------------------------------


def ours(m: Any, start: dict[str, Link] | None = None) -> Reading:
    """Return what stands in a mechanism; free bodies are put where they start."""
    made = Reading()
    poses: list[np.ndarray] = []
    names = {-1: "world"}
    for j, body in enumerate(m.bodies):
        before = poses[body.parent] if body.parent >= 0 else np.eye(4)
        poses.append(before @ numbers(body.placement))
        if start and body.joint.kind == "free" and body.name in start:
            poses[-1] = start[body.name].pose
        names[j] = body.name
    for j, body in enumerate(m.bodies):
        I = body.inertia
        centre = np.array([to_float(x) for x in I.centre]) if to_float(I.m) else np.zeros(3)
        tensor = np.array([[to_float(x) for x in row] for row in I.about_centre.rows])
        made.links[body.name] = placed(poses[j], I.m, centre, tensor)
        made.joints[body.joint_name or body.name] = edge_of(m, j, names, poses[j])
    for frame in m.named:
        at, link = np.eye(4), Link(np.eye(4))
        if frame.body >= 0:
            at, link = poses[frame.body], made.links[names[frame.body]]
        pose = at @ numbers(frame.placement)
        made.links.setdefault(frame.name, Link(pose, link.mass, link.centre, link.tensor))
    for loop in m.loops:
        made.joints[loop.name] = Edge(loop.joint, names[loop.body_i], names[loop.body_j])
    return made


def is_physical(tensor: np.ndarray) -> bool:
    """Return whether the principal moments could be those of a body."""
    a, b, c = np.linalg.eigvalsh(tensor)
    return bool(a >= 0 and a + b >= c)


def numbers(T: Any) -> np.ndarray:
    """Return a placement as a matrix of floats."""
    rows = [[to_float(x) for x in row] for row in T.R.matrix().rows]
    return matrix(rows, [to_float(x) for x in T.p])


def edge_of(m: Any, j: int, names: dict[int, str], pose: np.ndarray) -> Edge:
    """Return the joint that carries body j."""
    body = m.bodies[j]
    kind = body.joint.kind
    made = Edge(kind, names[body.parent], body.name)
    if kind in ("revolute", "prismatic"):
        made.axis = pose[:3, :3] @ unit([to_float(x) for x in body.joint.axis])
    if kind == "planar":
        made.axis = pose[:3, 2]
    made.limits = ends(*(body.limits[0] if body.limits else (None, None)))
    made.speed, made.effort = most(body.velocity_limit), most(body.effort_limit)
    drive = next((d for d in m.drives if d.joint == j), None)
    made.friction = (float(drive.viscous), float(drive.coulomb[0])) if drive else (0.0, 0.0)
    for c in m.couplings:
        if c.joint == j:
            of = m.bodies[c.of]
            made.mimic = (of.joint_name or of.name, float(c.ratio), float(c.offset))
    return made


def as_graph(m: Any, theirs: Reading) -> Reading:
    """Return our reading as links and undirected joints: SDF lets a joint lead either way."""
    made = ours(m, theirs.links)
    bodies = {body.name for body in m.bodies}
    parts = {}  # a body whose frame is its joint's is called link.joint
    for name, link in list(made.links.items()):
        head, dot, joint = name.rpartition(".")
        if dot and joint in made.joints and head in made.links:
            parts[name] = head
            del made.links[name]
        elif name not in bodies and name not in theirs.links:  # a frame of the file
            del made.links[name]
        elif link.tensor is not None and not is_physical(link.tensor):
            link.tensor = None  # Drake puts another one there, with a warning
    for name, body in [(b.joint_name or b.name, b) for b in m.bodies]:
        if body.parent < 0 and name not in theirs.joints:  # what stands on the base, or floats
            del made.joints[name]
    for name, edge in made.joints.items():
        edge.parent, edge.child = (parts.get(n, n) for n in (edge.parent, edge.child))
        there = theirs.joints.get(name)
        if there is not None and (edge.parent, edge.child) == (there.child, there.parent):
            edge.parent, edge.child = there.parent, there.child
            edge.axis = None if edge.axis is None else -edge.axis
    return made


def bodies_of(m: Any, theirs: Reading) -> Reading:
    """Return our reading with the bodies of MuJoCo: several joints of one, anchors apart."""
    made = ours(m)
    chains = Reading({n: link for n, link in made.links.items() if n in theirs.links})
    holder = {}
    for body in m.bodies:
        own = [n for n in theirs.links if body.name == n or body.name.startswith(f"{n}.")]
        holder[body.name] = max(own, key=len, default=body.name)
    moving = [e for e in made.joints.items() if e[1].kind != "fixed"]
    for (name, edge), there in zip(moving, theirs.joints, strict=False):
        edge.child = holder[edge.child]
        up = edge.parent
        while holder.get(up) == edge.child:  # the joints of one body
            at = next(b for b in m.bodies if b.name == up)
            up = m.bodies[at.parent].name if at.parent >= 0 else "world"
        edge.parent = holder.get(up, up)
        chains.joints[there if there.startswith("joint") and name != there else name] = edge
    return chains


# -- side by side ----------------------------------------------------------------------------------


def differences(a: Reading, b: Reading, tolerance: float = TOLERANCE) -> list[str]:
    """Return what differs, in words; only what both tell is compared."""
    found = [f"link {n} only in one" for n in sorted(a.links.keys() ^ b.links.keys())]
    found += [f"joint {n} only in one" for n in sorted(a.joints.keys() ^ b.joints.keys())]
    for n in a.links.keys() & b.links.keys():
        x, y = a.links[n], b.links[n]
        far = 1 + np.abs(y.pose[:3, 3]).max()
        found += [f"pose of {n}"] * (not near(x.pose, y.pose, tolerance * far))
        if y.mass is None:
            continue
        if x.mass is not None:
            found += [f"mass of {n}"] * (not near(x.mass, y.mass, tolerance * abs(y.mass)))
        if x.centre is not None and y.mass:
            found += [f"mass centre of {n}"] * (not near(x.centre, y.centre, tolerance * far))
        if x.tensor is not None:
            size = np.abs(y.tensor).max()
            found += [f"inertia of {n}"] * (not near(x.tensor, y.tensor, tolerance * size))
    for n in a.joints.keys() & b.joints.keys():
        x, y = vars(a.joints[n]), vars(b.joints[n])
        for key, theirs in y.items():
            mine = x[key]
            if theirs is None or (mine is None and key != "mimic"):  # of a joint that was cut
                continue
            if isinstance(theirs, str):
                same = mine == theirs
            elif key == "mimic":
                same = mine is not None and mine[0] == theirs[0] and near(mine[1:], theirs[1:])
            else:
                same = near(mine, theirs, tolerance)
            found += [f"{key} of joint {n}: {mine}, there {theirs}"] * (not same)
    return found


def near(x: Any, y: Any, tolerance: float = TOLERANCE) -> bool:
    """Return whether numbers agree; what the other reader cannot tell is not a number."""
    mine, theirs = np.atleast_1d(np.asarray(x, float)), np.atleast_1d(np.asarray(y, float))
    if mine.shape != theirs.shape:
        return False
    known = ~np.isnan(theirs)
    return bool(np.allclose(mine[known], theirs[known], rtol=tolerance, atol=tolerance + 1e-300))


@contextlib.contextmanager
def silent() -> Any:
    """Close standard output and error of the process for a while: engines in C++ write there."""
    kept = [os.dup(k) for k in (1, 2)]
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        for k in (1, 2):
            os.dup2(nowhere, k)
        yield
    finally:
        for k, old in zip((1, 2), kept, strict=True):
            os.dup2(old, k)
            os.close(old)
        os.close(nowhere)


# -- one file, many files --------------------------------------------------------------------------


def judge(file: str) -> corpus.Row:
    """Return the row of one file."""
    import dalembert as da

    kind, text = Path(file).suffix[1:].lower(), None
    kind = "mjcf" if kind == "xml" and not corpus.is_urdf(file) else kind.replace("xml", "urdf")
    try:
        if kind == "xacro":
            from dalembert.cli.xacro import expanded

            text = expanded(Path(file), {}).encode()
        else:
            text = Path(file).read_bytes()
        source = text.decode() if kind == "xacro" else file
        try:
            m = da.load(source, base="free" if kind != "mjcf" else "fixed", mimic="couple", snap=0)
        except da.DalembertError as error:
            if "binds the model to the world" not in str(error):
                raise
            m = da.load(source, mimic="couple", snap=0)
    except da.DalembertError as error:
        said = str(error)
        row = corpus.Row(file, kind, "refused", f"{corpus.reason_of(said)}: {said.splitlines()[0]}")
        row.peers = [] if read_there(kind, file, text) is None else ["a second reader reads it"]
        return row
    theirs = read_there(kind, file, text)
    if theirs is None:
        return corpus.Row(file, kind, "read by us alone", "")
    found = differences(side(kind, m, theirs), theirs)
    return corpus.Row(file, kind, "different" if found else "equal", "; ".join(found))


def read_there(kind: str, file: str, text: bytes | None) -> Reading | None:
    """Return what the second reader reads, None where it fails or there is no text."""
    if text is None:
        return None
    try:
        with silent():
            if kind == "mjcf":
                return by_mujoco(file)
            return by_drake(text) if kind == "sdf" else by_yourdfpy(text)
    except ImportError:
        raise
    except Exception:
        return None


def side(kind: str, m: Any, theirs: Reading) -> Reading:
    """Return our reading in the words of the other."""
    if kind == "mjcf":
        return bodies_of(m, theirs)
    if kind == "sdf":
        return as_graph(m, theirs)
    made = ours(m)
    made.joints.pop("base_joint" if "base" in theirs.joints else "base")  # which frees the root
    return made


def worker(pipe: Any) -> None:
    """Judge files that come through a pipe until there is none."""
    corpus.work(pipe, judge)


def table(rows: list[corpus.Row]) -> str:
    """Return the counts per kind of file, refusals by reason, and every difference."""
    verdicts = ["equal", "refused", "different"]
    verdicts += sorted({r.verdict for r in rows} - set(verdicts))
    lines = ["kind    files " + " ".join(f"{v:>16}" for v in verdicts)]
    for kind in [*sorted({r.kind for r in rows}), "all"]:
        own = [r for r in rows if kind in (r.kind, "all")]
        count = Counter(r.verdict for r in own)
        lines.append(f"{kind:7} {len(own):5} " + " ".join(f"{count[v]:16}" for v in verdicts))
    refused = [r for r in rows if r.verdict == "refused"]
    why = Counter((r.kind, r.reason.split(":")[0], bool(r.peers)) for r in refused)
    lines += ["", "refused:"]
    for (kind, reason, other), n in sorted(why.items()):
        lines.append(f"  {n:5}  {kind} {reason}" + " (a second reader reads it)" * other)
    odd = [r for r in rows if r.verdict not in ("equal", "refused")]
    odd += [r for r in refused if r.peers]
    lines += [f"  {r.verdict} {r.file}: {r.reason[:300]}" for r in odd]
    return "\n".join(lines)


def main() -> int:
    """Judge the files of folders; exit 1 where one differs or is read by us alone."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--fetch", metavar="DIR", help="install the packages there and take them")
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    folders = asked.folders + (fetched(asked.fetch) if asked.fetch else [])
    rows = corpus.judge_all(corpus.files_in(folders), asked.jobs, target=worker)
    print(table(rows))
    return 0 if all(r.verdict in ("equal", "refused") for r in rows) else 1


PACKAGES = ("example-robot-data", "rtb-data", "pybullet")
READER = {"drake": "1.51.1"}


def fetched(folder: str) -> list[str]:
    """Return the folders of robots, and put the reader of SDF where it can be imported."""
    (place,) = corpus.fetch(folder, READER)
    sys.path.append(place)  # other processes are started with it
    return corpus.fetch(folder, {n: corpus.PACKAGES[n] for n in PACKAGES})


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    sys.exit(main())
