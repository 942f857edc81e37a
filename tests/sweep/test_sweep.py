"""Design studies: closed forms, reasons, resuming, engines, hostile studies."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import dalembert as da
from dalembert.sweep.designs import designs
from dalembert.sweep.result import Sweep
from dalembert.sweep.run import chunk_file, run
from dalembert.sweep.study import read_study, study_of

pytest.importorskip("pyarrow")
ROD = {
    "format": "dalembert/1", "name": "rod", "gravity": [0, -9.81, 0],
    "parameters": {"L": 0.5, "M": 2.0},
    "phrase": "RZ(-3, 3), TXK(L); body 1: M = M, D = (L/2, 0, 0), I = (0, 0, 0);",
}  # fmt: skip
ARM = {
    "format": "dalembert/1", "name": "arm", "gravity": [0, -9.81, 0],
    "parameters": {"L1": 0.5, "L2": 0.4},
    "phrase": "RZ(-3, 3), TXK(L1), RZ(-3, 3), tip: TXK(L2); body 1: M = 3*L1, D = (L1/2, 0, 0), "
    "I = (0, 0, L1^3/4); body 2: M = 2*L2, D = (L2/2, 0, 0), I = (0, 0, L2^3/6);",
}  # fmt: skip
MOVE = {"joint_moves": [{"from": [0.0], "to": [1.0], "time": 1.0}], "samples": 51}
MOVE2 = {"joint_moves": [{"from": [0.0, 0.0], "to": [1.0, 0.5], "time": 1.0}], "samples": 40}


def test_peaks_of_a_rod_are_those_of_its_equation():
    m = da.load(ROD)
    s = da.sweep(m, {"L": (0.2, 0.8), "M": [1.0, 3.0]}, task=MOVE, plan="grid", samples=7,
                 measure=["peak", "rms", "mass", "energy"], workers=1)  # fmt: skip
    t = np.linspace(0, 1, 51)
    q = 10 * t**3 - 15 * t**4 + 6 * t**5
    qd, qdd = 30 * t**2 - 60 * t**3 + 30 * t**4, 60 * t - 180 * t**2 + 120 * t**3
    assert len(s) == 14
    for r in s.rows(range(14)):
        tau = r["M"] * r["L"] ** 2 / 4 * qdd + r["M"] * 9.81 * r["L"] / 2 * np.cos(q)
        assert r["peak"] == pytest.approx(np.abs(tau).max(), rel=1e-12)
        assert r["rms"] == pytest.approx(np.sqrt(np.trapezoid(tau**2, t)), rel=1e-12)
        assert r["energy"] == pytest.approx(np.trapezoid(np.abs(tau * qd), t), rel=1e-12)
        assert r["mass"] == pytest.approx(r["M"])


def peak(task):
    """Return the largest force of the first rod along a task."""
    s = da.sweep(da.load(ROD), {"L": [0.5]}, task=task, measure=["peak"], workers=1)
    return s.columns["peak"][0]


def test_a_move_begins_where_the_one_before_it_ends():
    """There and back: the second move stood still at zero, and its forces were not seen."""
    there, back = {"to": [1.0], "time": 1.0}, {"to": [0.0], "time": 0.2}
    told = {"joint_moves": [there, {**back, "from": [1.0]}], "samples": 300}
    assert peak({"joint_moves": [there, back], "samples": 300}) == peak(told) > 15
    apart = [there, {"from": [-1.0], "to": [0.0], "time": 0.2}]  # moves of their own
    assert peak({"joint_moves": apart, "samples": 300}) != peak(told)


def test_a_recorded_motion_counts_with_all_its_samples():
    """One row in ten missed the jerk of a few samples."""
    m, t = da.load(ROD), np.linspace(0, 2, 1001)
    q = 0.1 * np.sin(t) + 5e-4 * np.exp(-(((t - 1.003) / 0.004) ** 2))
    d = da.read_motion({"t": t, "q.j1": q}, m)
    assert peak(d) == pytest.approx(da.torques_along(m, d).peak[0], rel=1e-9)
    assert peak({"motion": d, "samples": 50}) < 0.7 * peak(d)  # as asked
    long = np.linspace(0, 2, 20_001)
    whole = (long, *(np.sin(long)[:, None] for _ in range(3)))
    with pytest.raises(da.UsageError, match="has 20001 samples"):
        peak(whole)
    whole[2][7] = np.nan
    with pytest.raises(da.UsageError, match=r"a gap at t = 0\.0007"):
        peak(whole)


def test_the_best_gear_is_the_square_root_of_the_inertias():
    m = da.load({
        "format": "dalembert/1", "gravity": [0, 0, 0], "parameters": {"N": 50.0},
        "phrase": "RZ(), TXK(1); body 1: M = 0, I = (0, 0, 2);",
        "drives": [{"joint": "j1", "Ia": "0.0005*N^2"}],
    })  # fmt: skip
    s = da.sweep(m, {"N": (20.0, 140.0)}, task=MOVE, measure=["peak"], plan="grid", samples=241,
                 workers=1)  # fmt: skip
    motor = s.columns["peak"] / s.columns["N"]  # on the motor side
    best = s.columns["N"][np.argmin(motor)]
    assert best == pytest.approx(np.sqrt(2 / 0.0005), abs=0.5)


def test_designs_that_cannot_reach_are_kept_with_the_reason():
    m = da.load(ARM)
    first = {"frame": "tip", "point": [0.8, 0.2, 0], "time": 1.0}
    task = {"poses": [first, {**first, "point": [0.3, 0.5, 0]}], "samples": 30}
    s = da.sweep(m, {"L1": (0.2, 0.7), "L2": (0.2, 0.7)}, task=task, plan="grid", samples=8,
                 measure=["peak", "reach"], workers=1)  # fmt: skip
    x = s.columns
    far = np.hypot(0.8, 0.2)
    can = (x["L1"] + x["L2"] > far + 1e-6) & (np.abs(x["L1"] - x["L2"]) < far)
    assert np.array_equal(x["feasible"], can)
    assert set(x["reason"][~can]) == {"not reachable"} and np.isnan(x["peak"][~can]).all()
    assert (x["reach"][can] >= far - 1e-6).all()


def test_designs_that_cannot_be_built_are_kept_with_the_reason():
    s = da.sweep(da.load(ARM), {"L1": [-0.2, 0.3, 0.6], "L2": "sqrt(0.5 - L1)"}, task=MOVE2,
                 measure=["peak", "mass"], workers=1)  # fmt: skip
    assert s.columns["reason"].tolist() == ["not physical", "", "not physical"]


def test_expressions_follow_other_parameters():
    m = da.load(ARM)
    s = da.sweep(m, {"L1": (0.3, 0.6), "L2": "0.9 - L1"}, task=MOVE2, samples=20, workers=1)
    assert np.allclose(s.columns["L1"] + s.columns["L2"], 0.9)


@pytest.mark.parametrize("kind", ["lhs", "sobol"])
def test_any_stretch_of_a_plan_is_made_alone(kind):
    m = da.load(ARM)
    s = study_of(m, {"L1": (0.3, 0.6), "L2": [0.3, 0.4]}, MOVE2, ["peak"],
                 {"kind": kind, "samples": 64, "seed": 3})  # fmt: skip
    whole = designs(s, 0, 64)
    parts = [designs(s, a, a + 16) for a in range(0, 64, 16)]
    for n in whole:
        assert np.array_equal(whole[n], np.concatenate([p[n] for p in parts]))
    if kind == "lhs":
        strata = np.sort(((whole["L1"] - 0.3) / 0.3 * 64).astype(int))
        assert np.array_equal(strata, np.arange(64))


def files(folder):
    return {f.name: f.read_bytes() for f in sorted(folder.iterdir())}


def small_study():
    m = da.load(ARM)
    return study_of(m, {"L1": (0.3, 0.6), "L2": (0.3, 0.6)}, MOVE2, ["peak", "energy"],
                    {"samples": 400, "chunk": 50})  # fmt: skip


def test_a_study_that_was_stopped_ends_with_the_same_bytes(tmp_path):
    s = small_study()
    run(s, tmp_path / "whole", workers=1)
    run(s, tmp_path / "parts", workers=1)
    for k in (1, 4, 5):
        chunk_file(tmp_path / "parts", k).unlink()
    (tmp_path / "parts" / "chunk-000001.parquet.99.part").write_bytes(b"torn")
    before = chunk_file(tmp_path / "parts", 0).stat().st_mtime_ns
    run(s, tmp_path / "parts", resume=True, workers=1)
    assert files(tmp_path / "parts") == files(tmp_path / "whole")
    assert chunk_file(tmp_path / "parts", 0).stat().st_mtime_ns == before  # not computed again
    run(s, tmp_path / "two", workers=2)
    assert files(tmp_path / "two") == files(tmp_path / "whole")


def test_a_folder_of_something_else_is_refused(tmp_path):
    s = small_study()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("x")
    with pytest.raises(da.UsageError, match="is not empty"):
        run(s, tmp_path / "mine")
    with pytest.raises(da.UsageError, match="holds no study"):
        run(s, tmp_path / "mine", resume=True)
    run(s, tmp_path / "a", workers=1, resume=True)  # a missing folder starts
    m = da.load(ARM)
    other = study_of(m, {"L1": (0.3, 0.7)}, MOVE2, ["peak"], {"samples": 10})
    with pytest.raises(da.UsageError, match="another study"):
        run(other, tmp_path / "a", resume=True)


@pytest.mark.slow
def test_killed_again_and_again_the_table_is_byte_equal(tmp_path):
    s = small_study()
    run(s, tmp_path / "whole", workers=1)
    (tmp_path / "study.json").write_text(s.text)
    code = (
        "import sys; from pathlib import Path; from dalembert.sweep.study import Study;"
        "from dalembert.sweep.run import run;"
        "text, out = Path(sys.argv[1]).read_text(), Path(sys.argv[2]);"
        "run(Study.of_text(text), out, resume=True, workers=1)"
    )
    rng = np.random.default_rng(0)
    for _ in range(12):
        p = subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path / "study.json"), str(tmp_path / "killed")]
        )
        time.sleep(float(rng.uniform(0.3, 2.0)))
        os.kill(p.pid, signal.SIGKILL)
        p.wait()
        assert all(f.suffix != ".parquet" or f.read_bytes()[-4:] == b"PAR1"
                   for f in (tmp_path / "killed").glob("*"))  # fmt: skip
    run(s, tmp_path / "killed", resume=True, workers=1)
    assert files(tmp_path / "killed") == files(tmp_path / "whole")


@pytest.mark.slow
def test_a_dask_cluster_gives_the_same_bytes(tmp_path):
    distributed = pytest.importorskip("distributed")
    s = small_study()
    run(s, tmp_path / "here", workers=1)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as c:
        address = c.scheduler_address.replace("tcp://", "dask://")
        run(s, tmp_path / "dask", on=address)
    assert files(tmp_path / "dask") == files(tmp_path / "here")


def test_short_chunks_share_a_task_and_the_last_ones_are_spread(monkeypatch):
    from dalembert.sweep.on_dask import _Work

    class Cluster:
        def nthreads(self):
            return {"a": 1, "b": 1}

        def submit(self, work, text, numbers, **more):
            return numbers

    work = _Work(Cluster(), small_study(), list(range(100)))
    assert work.following() == [[0], [1], [2], [3]]  # nothing is known of their time
    work.sent.clear()
    work.learn(0.1)
    assert [len(x) for x in work.following()] == [10, 10, 10, 10]
    work.sent.clear()
    work.learn(0.01)
    assert [len(x) for x in work.following()] == [14, 11, 8, 6]
    keys = list(work.sent)
    assert len(set(keys)) == 4 and work.send([4]) == [4]


def test_a_scheduler_is_reached_through_tls(tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")
    asked = []

    def client(address, **more):
        asked.append(address)
        raise OSError

    monkeypatch.setattr(distributed, "Client", client)
    for on in ("dask://127.0.0.1:1", "dask+tls://127.0.0.1:1"):
        with pytest.raises(da.ComputationError, match="no Dask scheduler answers"):
            run(small_study(), tmp_path / "x", on=on, resume=True)
    assert asked == ["tcp://127.0.0.1:1", "tls://127.0.0.1:1"]


def test_fronts_and_the_best(tmp_path):
    m = da.load(ARM)
    s = da.sweep(m, {"L1": (0.3, 0.6), "L2": (0.3, 0.6)}, task=MOVE2, samples=300, workers=1,
                 measure=["peak", "reach"], out=tmp_path / "s")  # fmt: skip
    best = s.best(3)
    assert best[0]["peak"] == s.columns["peak"].min()
    front = s.pareto("peak", "peak.j2")
    a, b = (np.array([r[n] for r in front]) for n in ("peak", "peak.j2"))
    for x, y in zip(a, b, strict=True):
        worse = (s.columns["peak"] < x) & (s.columns["peak.j2"] < y)
        assert not worse.any()
    again = Sweep.read(tmp_path / "s")
    assert len(again) == 300 and "best by peak" in again.summary()
    assert "peak" in again.compare([0, 1])
    pytest.importorskip("matplotlib")
    page = again.html(tmp_path / "page.html")
    assert "<svg" in page and (tmp_path / "page.html").read_text() == page == again.html()
    assert "300 designs" in again._repr_html_() and "0x" not in again._repr_html_()


def test_a_wrong_name_is_told_those_that_were_given_values():
    m = da.load("RZ(), TXK(L1); body 1: M = M1, D = (L1, 0, 0);").with_values(L1=0.5, M1=2)
    with pytest.raises(da.ParameterError) as e:
        da.sweep(m, {"L9": (0.3, 0.8)}, task=MOVE, measure=["peak"], samples=3)
    assert "L1" in e.value.hint
    with pytest.raises(da.ParameterError) as e:
        m.with_values(L9=1)
    assert "L1" in e.value.hint


STUDY = """
model = "arm.json"
measure = ["peak", "kinetic_energy:max"]

[parameters]
L1 = [0.3, 0.8]
L2 = {{ values = [0.3, 0.4] }}

[task]
joint_moves = [{{ from = [0, 0], to = [1, 0.5], time = 0.8 }}]
samples = 30

[plan]
kind = "lhs"
samples = 40
{more}
"""


def test_a_study_file_runs_and_resumes(tmp_path, capsys):
    from dalembert.cli import main

    (tmp_path / "arm.json").write_text(json.dumps(ARM))
    study = tmp_path / "study.toml"
    study.write_text(STUDY.format(more=""))
    out = str(tmp_path / "out")
    assert main(["sweep", str(study), "--out", out, "--workers", "1", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["designs"] == 40 and data["feasible"] == 40 and len(data["best"]) == 5
    assert main(["sweep", str(study), "--out", out]) == 2
    assert "is not empty" in capsys.readouterr().err
    assert main(["sweep", str(study), "--out", out, "--resume"]) == 0
    assert "best by peak" in capsys.readouterr().out


WRONG = {
    "no parameter 'L9'": ("[parameters]", "[parameters]\nL9 = [0.1, 0.2]"),
    "is empty": ("L1 = [0.3, 0.8]", "L1 = [0.8, 0.3]"),
    "1e\\+12 designs": ("samples = 40", "samples = 1000000000000"),
    "not known": ('"peak",', '"peek",'),
    "reduction": ("kinetic_energy:max", "kinetic_energy:most"),
    "no such file": None,
    "a study has no": ("model =", "modle = 1\nmodel ="),
    "to = ": ("to = [1, 0.5]", "to = [1]"),
    "time = ": ("time = 0.8", "time = -1"),
    "a task is one of": ("joint_moves = [{ from = [0, 0], to = [1, 0.5], time = 0.8 }]", ""),
    "no parameter before it": ("L1 = [0.3, 0.8]", 'L1 = "2*L7"'),
    "TOML: invalid statement": ("model =", "= = ="),
    "a move has no 'tme'": ("time = 0.8", "tme = 0.8"),
    "outside its limits": ("to = [1, 0.5]", "to = [1, 57.3]"),
    "no numbers": ("L1 = [0.3, 0.8]", "L1 = true"),
    "a list of lists": ("L1 = [0.3, 0.8]", "L1 = [[0.3, 0.8]]"),
    "task is no table": ("[task]", "[[task]]"),
    "plan has no": ("seed", "sed"),
}


@pytest.mark.parametrize(
    ("given", "better"),
    [
        ("[0.8, 0.3]", "the smaller end comes first: [0.3, 0.8]"),
        ('["300mm", "800mm"]', "a range [0.3, 0.8], { values = [50, 80] }"),
    ],
)
def test_a_wrong_range_in_a_file_is_answered_in_the_words_of_files(tmp_path, given, better):
    (tmp_path / "arm.json").write_text(json.dumps(ARM))
    study = tmp_path / "study.toml"
    study.write_text(STUDY.format(more="").replace("L1 = [0.3, 0.8]", f"L1 = {given}"))
    with pytest.raises(da.UsageError) as error:
        read_study(study)
    assert better in error.value.hint
    with pytest.raises(da.UsageError) as error:
        da.sweep(da.load(ARM), {"L1": (0.8, 0.3)}, task={})
    assert error.value.hint == "the smaller end comes first: (0.3, 0.8)"


@pytest.mark.parametrize("message", [k for k in WRONG if k != "plan has no"])
def test_bad_studies_are_refused_before_work_begins(tmp_path, message):
    (tmp_path / "arm.json").write_text(json.dumps(ARM))
    study = tmp_path / "study.toml"
    if WRONG[message] is not None:
        text = STUDY.format(more="")
        old, new = WRONG[message]
        assert old in text
        study.write_text(text.replace(old, new))
    with pytest.raises(da.DalembertError, match=message):
        read_study(study)


@pytest.mark.parametrize("name", ["/etc/passwd", "../../outside.json", "link.json", "a\\u0000b"])
def test_a_study_reads_nothing_from_elsewhere(tmp_path, monkeypatch, name):
    here = tmp_path / "a" / "b"
    here.mkdir(parents=True)
    monkeypatch.chdir(here)
    (tmp_path / "outside.json").write_text(json.dumps(ARM))
    (here / "link.json").symlink_to(tmp_path / "outside.json")
    text = STUDY.format(more="")
    (here / "model.toml").write_text(text.replace("arm.json", name))
    (here / "arm.json").write_text(json.dumps(ARM))
    moved = re.sub(r"joint_moves = .*", lambda _: f'motion = "{name}"', text)
    (here / "motion.toml").write_text(moved)
    for file in ("model.toml", "motion.toml"):
        with pytest.raises(da.DalembertError, match=r"outside the study|no file name") as seen:
            read_study(here / file)
        assert "root:" not in str(seen.value)


def test_what_was_done_before_does_not_count_as_speed(tmp_path):
    seen = []
    s = small_study()
    run(s, tmp_path / "x", workers=1)
    sorted((tmp_path / "x").glob("*.parquet"))[-1].unlink()
    run(s, tmp_path / "x", workers=1, resume=True, progress=lambda *x: seen.append(x))
    assert seen[0] == ((s.chunks - 1) * s.chunk, s.count, 0.0) and seen[-1][0] == s.count


def test_a_misspelt_plan_is_refused(tmp_path):
    (tmp_path / "arm.json").write_text(json.dumps(ARM))
    study = tmp_path / "study.toml"
    study.write_text(STUDY.format(more="sed = 3"))
    with pytest.raises(da.DalembertError, match="plan has no 'sed'"):
        read_study(study)


PEAK = """
import json, resource, sys
import dalembert as da
m = da.load(json.loads(sys.argv[1]))
task = {"joint_moves": [{"from": [0, 0], "to": [1, 0.5], "time": 1.0}], "samples": 100}
da.sweep(m, {"L1": (0.3, 0.6), "L2": (0.3, 0.6)}, task=task, measure=["peak", "rms"],
         samples=int(sys.argv[2]), workers=1, out=sys.argv[3])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.slow
def test_memory_is_flat_in_the_number_of_designs(tmp_path):
    pytest.importorskip("resource")
    peak = [int(subprocess.run(
        [sys.executable, "-c", PEAK, json.dumps(ARM), str(n), str(tmp_path / str(n))],
        check=True, capture_output=True, text=True,
    ).stdout) for n in (20_000, 200_000)]  # fmt: skip
    assert peak[1] < 1.15 * peak[0], peak


def test_a_model_longer_than_a_file_name_may_be_is_a_phrase(tmp_path):
    file = tmp_path / "study.toml"
    turns = ", ".join(f"RZ(), TXK(0.{k})" for k in range(1, 40))
    file.write_text(f'model = "{turns}; body 1: M = M1;"\n[parameters]\nM1 = [1, 2]\n')
    with pytest.raises(da.UsageError, match="a task is one of"):  # the model was read
        read_study(file)


def test_a_study_without_a_folder_leaves_none_behind():
    import gc

    s = da.sweep(da.load(ROD), {"L": [0.2, 0.4, 0.8]}, task=MOVE, measure=["peak"], workers=1)
    folder = s.folder
    assert [r["L"] for r in s.best(2, maximise=True)] == [0.8, 0.4]
    table = s.table()
    assert folder.exists() and len(s) == 3
    del s
    gc.collect()
    assert not folder.exists() and table.num_rows == 3


def test_a_folder_of_its_own_goes_when_the_program_ends(tmp_path):
    code = (
        "import dalembert as da\n"
        f"m = da.load({ROD!r})\n"
        f"s = da.sweep(m, {{'L': [0.2, 0.4]}}, task={MOVE!r}, measure=['peak'], workers=1)\n"
        "print(s.folder)\n"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert str(tmp_path) in done.stdout.decode() and not list(tmp_path.glob("dalembert-sweep-*"))


@pytest.mark.parametrize(
    ("wrong", "place", "said"),
    [
        (("peak", "peek"), "2:13", "did you mean peak"),
        (("lhs", "lsh"), "8:9", "did you mean lhs"),
        (("L1 = [", "L9 = ["), "4:1", "there is no parameter 'L9'"),
        (("time", "tme"), "6:42", "did you mean time"),
        (("peak", "mass_matrix"), "2:13", "needs a reduction: mass_matrix:max"),
    ],
)
def test_a_mistake_in_a_study_is_told_with_its_place(tmp_path, wrong, place, said):
    file = tmp_path / "study.toml"
    text = """\
model = "RZ(), TXK(L1); body 1: M = 2, D = (L1, 0, 0); gravity = (0, -9.81, 0);"
measure = ["peak"]
[parameters]
L1 = [0.3, 0.8]
[task]
joint_moves = [{ from = [0], to = [1.2], time = 0.8 }]
[plan]
kind = "lhs"
samples = 4
"""
    remark = f' # no {wrong[1].split()[0]} "#" here'  # a word in a remark is not the mistake
    first, rest = text.replace(*wrong).split("\n", 1)
    file.write_text(first + remark + "\n" + rest)
    with pytest.raises(da.DalembertError) as caught:
        read_study(file)
    assert f"study.toml:{place}: " in str(caught.value) and said in str(caught.value)


def test_a_study_that_is_not_there_is_told_what_is_near(tmp_path):
    (tmp_path / "study.toml").write_text("")
    with pytest.raises(da.DescriptionError, match="did you mean"):
        read_study(tmp_path / "studdy.toml")


def test_mistakes_in_files_of_a_cycle_and_of_motors_have_their_place(tmp_path):
    m = da.robots.puma560()
    motors = {"motors": [{"name": "A", "inertia": 1e-5, "continuous": 0.3, "peak": 1.0}]}
    file = tmp_path / "motors.toml"
    file.write_text('[[motor]]\nname = "A"\ntorque = 0.3\n')
    with pytest.raises(da.UsageError, match=r"motors\.toml:3:1: a motor has no 'torque'"):
        da.size(m, {"moves": [{"to": [1] * 6, "time": 1.0}]}, file)
    cycle = tmp_path / "cycle.toml"
    cycle.write_text(f"joint_moves = [{{ to = {[1] * 6}, tme = 1 }}]\n")
    with pytest.raises(da.UsageError, match=r"cycle\.toml:1:43: move 1 has no 'tme'"):
        da.size(m, cycle, **motors)
    cycle.write_text(f"joint_moves = [{{ to = {[1] * 6}, time = 1 }}]\n")
    assert len(da.size(m, cycle, **motors).best()) == 6


def test_rounding_of_a_free_motion_needs_no_motor():
    """Another design does not fall like this by itself."""
    free = da.load({**ARM, "active": ["j2"]})
    r = da.simulate(free, [0.3, 0.2], t=np.linspace(0, 0.5, 11))
    move = (r.t, r.q, r.qd, r.accelerations)
    s = da.sweep(free, {"L1": [0.5, 0.4]}, task=move, measure=["peak"], workers=1)
    assert list(s.columns["reason"]) == ["", "force without a motor"]


def test_a_measured_motion_is_as_rough_in_a_study_as_along_a_motion(tmp_path):
    """Its rates were differentiated: a joint without a motor then seems to need a small force."""
    free = da.load({**ARM, "active": ["j2"]})
    t = np.linspace(0, 0.5, 101)
    q = da.simulate(free, [0.3, 0.2], t=t).q
    d = da.read_motion({"t": t, "q.j1": q[:, 0], "q.j2": q[:, 1]}, free)
    assert da.torques_along(free, d).executable
    rows = np.column_stack([t, q])
    np.savetxt(tmp_path / "m.csv", rows, "%.12g", ",", header="t,q.j1,q.j2", comments="")
    for task in (d, {"motion": d}, {"motion": str(tmp_path / "m.csv")}):
        s = da.sweep(free, {"L1": [0.5, 0.3]}, task=task, measure=["peak"], workers=1)
        assert list(s.columns["reason"]) == ["", "force without a motor"]
    exact = (d.t, d.q, d.qd, d.qdd)
    s = da.sweep(free, {"L1": [0.5, 0.3]}, task=exact, measure=["peak"], workers=1)
    assert s.reasons() == {"force without a motor": 2}


def test_forces_of_a_study_are_those_of_its_motors():
    """The second joint has no motor: a design for which it would need one cannot do the task."""
    flat = {**ARM, "gravity": [0, 0, 0], "active": ["j1"]}
    made = {"measure": ["peak", "slower"], "workers": 1}
    s = da.sweep(da.load(flat), {"L1": [0.4, 0.5]}, task=MOVE2, **made)
    assert s.reasons() == {"force without a motor": 2}
    light = da.sweep(da.load(flat), {"L1": [0.4, 0.5]}, task=MOVE2, measure=["mass"], workers=1)
    assert light.reasons() == s.reasons()  # whatever is measured
    # a prescribed joint is moved by something else
    held = da.sweep(da.load({**flat, "prescribed": ["j2"]}), {"L1": [0.4, 0.5]}, task=MOVE2, **made)
    whole = da.sweep(da.load({**flat, "active": []}), {"L1": [0.4, 0.5]}, task=MOVE2, **made)
    assert "peak.j2" not in held.columns and held.columns["feasible"].all()
    assert np.array_equal(held.columns["peak.j1"], whole.columns["peak.j1"])
    assert np.array_equal(held.columns["peak"], whole.columns["peak.j1"])


def lettered(**joint):
    """Return a rod whose limits depend on the letter N."""
    own = {"type": "revolute", "name": "j", "axis": [0, 0, 1], **joint}
    body = {"parent": -1, "mass": 2, "com": [0.5, 0, 0], "inertia": [0, 0, 0.1], "joint": own}
    frame = {"name": "tip", "body": 0, "placement": {"translation": [1, 0, 0]}}
    return da.load({"format": "dalembert/1", "gravity": [0, 0, 0], "parameters": {"N": 10.0},
                    "bodies": [body], "frames": [frame]})  # fmt: skip


def test_limits_with_letters_are_those_of_each_design():
    """They were those of the value in the file."""
    fastest, peak = 30 / 16, 0.6 * 10 / np.sqrt(3)  # of a quintic move by 1 in 1 s; J = 0.6
    s = da.sweep(lettered(velocity_limit="10/N", effort_limit="N/10"), {"N": [5.0, 10.0, 40.0]},
                 task={**MOVE, "samples": 20_001}, measure=["slower"], workers=1)  # fmt: skip
    expected = [max(fastest * n / 10, np.sqrt(peak / (n / 10))) for n in (5.0, 10.0, 40.0)]
    assert np.allclose(s.columns["slower"], expected, rtol=1e-6)


@pytest.mark.parametrize("task", [
    MOVE, da.trajectory.quintic([0.0], [1.0], 1.0), {"poses": [{"frame": "tip", "point": [1, 0, 0]},
                     {"frame": "tip", "point": [float(np.cos(1.0)), float(np.sin(1.0)), 0]}]},
])  # fmt: skip
def test_a_design_whose_own_limits_are_too_near_cannot_do_the_task(task):
    for nominal in (2.0, 20.0):
        m = lettered(limits=[-0.1, "N/10"]).with_values(N=nominal)
        s = da.sweep(m, {"N": [9.0, 20.0]}, task=task, measure=["peak"], workers=1)
        assert s.columns["feasible"].tolist() == [False, True]


@pytest.mark.parametrize("kind", ["lhs", "grid"])
def test_a_number_of_designs_that_no_float_holds_is_refused(kind):
    m = da.load("RZ(), TXK(L1), RZ(), TXK(L2); body 1: M = 1; body 2: M = 1;")
    moves = {"joint_moves": [{"from": [0, 0], "to": [1, 1], "time": 0.8}]}
    with pytest.raises(da.UsageError, match="more than 1e300 designs; a study may have 1e\\+09"):
        da.sweep(m, {"L1": (0.3, 0.5), "L2": (0.3, 0.5)}, task=moves, measure=["peak"],
                 plan=kind, samples=10**400)  # fmt: skip
