"""Every public robot of three packages, beside what a second program reads from its file."""

import os
from dataclasses import replace

import pytest

import corpus
import dalembert as da
import second_reading
from peers import ROOT, peer
from second_readers import by_yourdfpy

ARM = ROOT / "examples" / "arm6.urdf"


def test_readings_of_one_file_are_equal():
    peer("yourdfpy")
    assert second_reading.judge(str(ARM)).verdict == "equal"


@pytest.mark.parametrize(
    "old, new",
    [
        ('<mass value="', '<mass value="1'),
        ('ixy="0', 'ixy="0.01'),
        ('<origin xyz="0 0 0.06"', '<origin rpy="0 0.001 0" xyz="0 0 0.06"'),
        ('xyz="0 0 1"', 'xyz="0 1e-6 1"'),
        ('lower="-', 'lower="-1'),
        ('effort="', 'effort="1'),
        ('damping="', 'damping="1'),
        ('type="revolute"', 'type="prismatic"'),
    ],
)
def test_a_difference_is_seen(old, new):
    peer("yourdfpy")
    text = ARM.read_text()
    assert old in text
    theirs = by_yourdfpy(text.replace(old, new, 1).encode())
    ours = second_reading.side("urdf", da.load(ARM, base="free", snap=0), theirs)
    assert second_reading.differences(ours, theirs)


def test_a_link_in_another_place_is_seen():
    peer("yourdfpy")
    theirs = by_yourdfpy(ARM.read_bytes())
    m = da.load(ARM, base="free", snap=0)
    last = m.bodies[-1]
    moved = replace(m, bodies=(*m.bodies[:-1], replace(last, parent=last.parent - 1)))
    found = second_reading.differences(second_reading.side("urdf", moved, theirs), theirs)
    assert any(word.startswith("parent of joint") for word in found)


@pytest.mark.slow
def test_every_public_file_is_read_alike():
    """Zero unexplained: each file is equal, or refused for a reason that is named."""
    place = os.environ.get("DALEMBERT_CORPUS") or str(ROOT / "build" / "corpus")
    rows = corpus.judge_all(
        corpus.files_in(second_reading.fetched(place)), target=second_reading.worker
    )
    print(second_reading.table(rows))
    assert [r.file for r in rows if r.verdict not in ("equal", "refused")] == []
    assert [r.file for r in rows if r.reason.startswith("other:")] == []
    assert sum(r.verdict == "equal" for r in rows) > 1200
