"""A motion as a film: it has its pictures, it moves, and what cannot be written is told."""

import shutil
import subprocess

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import UsageError
from dalembert.view import save_film

pytest.importorskip("matplotlib")
image = pytest.importorskip("PIL.Image")


@pytest.fixture(scope="module")
def run():
    m = da.robots.fourbar()
    return da.simulate(m, da.assemble(m), t=np.linspace(0, 0.5, 51))


def test_a_gif_has_a_picture_for_each_time_and_moves(run, tmp_path):
    with image.open(run.save_film(tmp_path / "run.gif")) as film:
        assert film.n_frames == 11  # 0.5 s of 20 pictures a second, both ends
        first = np.asarray(film.convert("L"), dtype=int)
        film.seek(10)
        last = np.asarray(film.convert("L"), dtype=int)
    assert first.min() < 100 and (np.abs(first - last) > 60).sum() > 500


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="there is no ffmpeg")
def test_an_mp4_is_a_film(run, tmp_path):
    path = run.save_film(tmp_path / "run.mp4")
    said = subprocess.run(["ffmpeg", "-i", str(path), "-f", "null", "-"], capture_output=True,
                          text=True, check=True).stderr  # fmt: skip
    assert "h264" in said and "800x600" in said


def test_what_is_no_film_is_refused(run, tmp_path, monkeypatch):
    with pytest.raises(UsageError, match=r"run\.avi"):
        run.save_film(tmp_path / "run.avi")
    with pytest.raises(UsageError, match="two times"):
        save_film(run.m, tmp_path / "run.gif", run.t[:1], run.q[:1])
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(UsageError, match="ffmpeg"):
        run.save_film(tmp_path / "run.mp4")
