"""Random machines of every class: some always, three thousand with the slow tests."""

import json

import pytest

import soak
from peers import peer


@pytest.fixture(scope="module", autouse=True)
def engines():
    peer("pin")


# numbers of each class that run always
ALWAYS = {"trees": 12, "free bases": 6, "small trees": 20, "loops": 0, "wheels": 1, "elastic": 3,
          "invalid": 2 * len(soak.WRONG)}  # fmt: skip
# and with the slow tests: 3,000 together
SLOW = {"trees": 900, "free bases": 300, "small trees": 1000, "loops": 150, "wheels": 100,
        "elastic": 150, "invalid": 400}  # fmt: skip


@pytest.mark.parametrize("kind", ALWAYS)
def test_some_machines(kind):
    found = {k: what for k in range(ALWAYS[kind]) if (what := soak.run_one(kind, k))}
    assert not found


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
@pytest.mark.parametrize("kind", SLOW)
def test_three_thousand_machines(kind, part):
    found = {k: what for k in range(part, SLOW[kind], 10) if (what := soak.run_one(kind, k))}
    assert not found


def test_the_log_goes_on_and_findings_are_shrunk(tmp_path, monkeypatch):
    def heavy(m, k):
        heaviest = max(float(b.inertia.mass) for b in m.bound().bodies)
        return [f"too heavy: {heaviest}"] if heaviest > 0 and m.nv > 1 else []

    kind = soak.Kind(soak.KINDS["small trees"].make, heavy, soak.smaller_tree, 1.0)
    monkeypatch.setattr(soak, "KINDS", {"small trees": kind})
    found = soak.soak(soak.Log(tmp_path), 60, ["small trees"], most=4)
    assert found >= 1
    log = soak.Log(tmp_path)
    assert log.rows["small trees"]["next"] == 4
    soak.soak(log, 60, ["small trees"], most=2)
    assert json.loads((tmp_path / "log.json").read_text())["small trees"]["next"] == 6
    kept = sorted(tmp_path.glob("small-trees-*.json"))
    import dalembert as da

    assert kept and all(len(da.load(path).joint_names) <= 2 for path in kept)
