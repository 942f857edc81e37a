"""Kernels of these tests are made as users get them, and kept in a directory of their own."""

import warnings

import pytest


@pytest.fixture(autouse=True, scope="package")
def own_cache(tmp_path_factory):
    """A cache that no other run shares."""
    with pytest.MonkeyPatch.context() as patch:
        place = tmp_path_factory.mktemp("kernels")
        place.chmod(0o700)
        patch.setenv("DALEMBERT_CACHE", str(place))
        yield place


@pytest.fixture(autouse=True)
def as_users_get_them(made_well):
    """Kernels are the subject here."""


@pytest.fixture
def no_warnings():
    """Any warning is a failure."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield
