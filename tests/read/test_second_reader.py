"""URDF files read by a second program, yourdfpy: where every link stands."""

from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from peers import missing

FILES = ["panda_description/urdf/panda.urdf", "ur_description/urdf/ur5_robot.urdf",
         "solo_description/robots/solo12.urdf"]  # fmt: skip


@pytest.mark.parametrize("path", FILES)
def test_links_stand_where_yourdfpy_puts_them(path, peer):
    yourdfpy = peer("yourdfpy")
    prefix = Path(peer("pin").__file__).resolve().parents[4]
    file = prefix / "share/example-robot-data/robots" / path
    if not file.exists():
        missing(f"example-robot-data: {path}")
    m = da.load(file, mimic="free")
    theirs = yourdfpy.URDF.load(str(file), load_meshes=False, build_scene_graph=True)
    rng = np.random.default_rng(1)
    for q in (np.zeros(m.nq), rng.uniform(-1, 1, m.nq)):
        by_name = dict(zip(m.joint_names, q, strict=True))
        # mimic joints follow there; they are given their leader's value here
        for joint in theirs.robot.joints:
            if joint.mimic is not None:
                scale, offset = joint.mimic.multiplier or 1.0, joint.mimic.offset or 0.0
                by_name[joint.name] = scale * by_name[joint.mimic.joint] + offset
        theirs.update_cfg({n: by_name[n] for n in theirs.actuated_joint_names})
        ours = [by_name[n] for n in m.joint_names]
        for link in theirs.link_map:
            T = theirs.get_transform(link)
            assert np.allclose(da.pose(m, ours, frame=link), T, atol=1e-9), link
