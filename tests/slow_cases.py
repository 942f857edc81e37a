"""Cases of a test of which only the first are run by `make test`."""

from collections.abc import Iterable
from typing import Any

import pytest


def with_slow(cases: Iterable[Any], fast: int) -> list[Any]:
    """Return the cases of a test, those after the first few marked slow."""
    slow = pytest.mark.slow
    return [pytest.param(case, marks=[slow] * (k >= fast)) for k, case in enumerate(cases)]
