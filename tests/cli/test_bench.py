"""dalembert bench: shapes of its rows; no figure is tested."""

import json

import numpy as np
import pytest

import dalembert as da
from dalembert import bench
from dalembert.bench.casadi import available, casadi_rows
from dalembert.cli import main
from peers import absent

KEYS = ["model", "quantity", "ours_ns", "peer", "peer_ns", "ratio", "error"]


def test_rows_without_peers(capsys):
    assert main(["bench", "robot:puma560", "--seconds", "0.001", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [list(row) for row in rows] == [KEYS] * len(rows)
    assert [row["quantity"] for row in rows] == [
        *bench.STATES, bench.ONE_CALL, bench.COLD, bench.CACHED
    ]  # fmt: skip
    assert all(row["ours_ns"] > 0 and row["peer"] is None for row in rows)


def test_peers_give_the_same_results(peer):
    peer("pin")
    m = {"puma": da.robots.puma560()}
    rows = [row for row in bench.bench(m, peers=True, budget=0.001) if row.peer]
    assert len(rows) == 5 and all(row.error < 1e-10 for row in rows)


@pytest.mark.slow
def test_generated_c_gives_the_same_results():
    if not available():
        absent("casadi or gcc")
    rows = list(casadi_rows("puma", da.robots.puma560(), 0.001))
    assert rows[0].error < 1e-10 and rows[1].peer_ns > 0


def test_a_chain_is_the_same_every_time():
    m = bench.chain(5)
    assert m == bench.chain(5) and m.nv == 5 and np.isfinite(m.total_mass)


def test_the_process_is_set_free_again():
    import os

    before = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
    with bench.pinned():
        pass
    assert not before or os.sched_getaffinity(0) == before
