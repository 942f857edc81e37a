"""The independent engines that other tests compare with are there, or are required to be."""

import pytest

import peers


@pytest.mark.parametrize("name", ["pin", "mujoco"])
def test_a_peer_engine_can_be_imported(peer, name):
    assert peer(name).__version__


def test_the_reference_files_are_there(oracles_dir):
    assert oracles_dir == peers.ORACLES and len(peers.oracle_files()) > 0


def test_what_is_absent_skips_or_fails(monkeypatch):
    monkeypatch.delenv("DALEMBERT_REQUIRE_PEERS", raising=False)
    with pytest.raises(pytest.skip.Exception):
        peers.peer("no_such_engine")
    monkeypatch.setenv("DALEMBERT_REQUIRE_PEERS", "1")
    with pytest.raises(pytest.fail.Exception):
        peers.peer("no_such_engine")
    with pytest.raises(pytest.skip.Exception):
        peers.absent("a file outside the checkout")
