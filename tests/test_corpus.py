"""Public robots, all of those that the package index holds, beside other engines."""

import json
import os
import time
from pathlib import Path

import pytest

import corpus
from peers import ROOT, peer

ARM = ROOT / "examples" / "arm6.urdf"


@pytest.fixture(scope="module", autouse=True)
def engines():
    peer("pin")
    peer("mujoco")


def test_a_folder_is_judged_file_by_file(tmp_path):
    (tmp_path / "good.urdf").write_text(ARM.read_text())
    turned = ARM.read_text().replace(
        'name="arm6"', 'name="arm6" xmlns:xacro="http://ros.org/wiki/xacro"'
    )
    (tmp_path / "good.xacro").write_text(turned)
    (tmp_path / "broken.urdf").write_text("<robot name='a'><link")
    (tmp_path / "still.urdf").write_text("<robot name='a'><link name='b'/></robot>")
    (tmp_path / "part.xml").write_text("<mujocoinclude/>")
    (tmp_path / "ball.xml").write_text(
        "<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>"
    )
    rows = corpus.judge_all(corpus.files_in([str(tmp_path)]), jobs=1)
    assert {Path(r.file).name: r.verdict for r in rows} == {
        "ball.xml": "agrees", "broken.urdf": "refused", "good.urdf": "agrees",
        "good.xacro": "agrees", "still.urdf": "still",
    }  # fmt: skip
    assert all(r.peers and r.worst < 1 for r in rows if r.verdict == "agrees")
    assert "refused" in corpus.table(rows)


def test_a_difference_is_seen():
    """A row whose mass is another one there does not agree."""

    def other(row, m, text):
        from dataclasses import replace

        def heavy(body):
            return replace(body, inertia=replace(body.inertia, mass=body.inertia.mass * 1.001))

        bodies = tuple(map(heavy, m.bodies))
        return [corpus.PinocchioAlgorithms(replace(m, bodies=bodies, checked=True))]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpus, "engines_of", other)
        assert corpus.judge(str(ARM)).verdict == "disagrees"
    assert corpus.judge(str(ARM)).verdict == "agrees"


def test_the_time_of_other_engines_is_not_counted(monkeypatch):
    def burn(row, m, text):
        end = time.process_time() + 1.0
        while time.process_time() < end:
            pass
        return []

    corpus.judge(str(ARM))  # kernels are there
    monkeypatch.setattr(corpus, "engines_of", burn)
    start = time.process_time()
    seconds = corpus.judge(str(ARM)).seconds
    assert 0 < seconds <= time.process_time() - start - 1.0


def crash(pipe):
    pipe.recv()
    os._exit(9)


def test_a_process_that_ends_is_a_row(tmp_path, monkeypatch):
    monkeypatch.setattr(corpus, "worker", crash)
    rows = corpus.judge_all([str(ARM), str(ARM)], jobs=1)
    assert [r.verdict for r in rows] == ["crash", "crash"]


@pytest.mark.slow
@pytest.mark.parametrize("name", corpus.PACKAGES)
def test_every_public_robot(name):
    place = os.environ.get("DALEMBERT_CORPUS") or str(ROOT / "build" / "corpus")
    folders = corpus.fetch(place, {name: corpus.PACKAGES[name]})
    rows = corpus.judge_all(corpus.files_in(folders))
    print(corpus.table(rows))
    (ROOT / "build").mkdir(exist_ok=True)
    (ROOT / "build" / f"corpus-{name}.json").write_text(json.dumps([vars(r) for r in rows]))
    wrong = [r for r in rows if r.verdict not in ("agrees", "still", "refused")]
    assert not wrong
    assert not [r for r in rows if r.verdict == "refused" and r.reason.startswith("other")]
    # processor time grows where other work shares the cores: what was slow is tried once more
    slow = [r.file for r in rows if r.seconds > corpus.SLOW]
    assert not [r for r in corpus.judge_all(slow, jobs=1) if r.seconds > corpus.SLOW]
