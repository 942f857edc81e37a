"""Limits of joints in numbers: open ends and letters without a value are infinite."""

from dataclasses import replace
from math import inf

import dalembert as da
from dalembert.mechanism.limits import coordinate_limits, rate_limits


def test_limits_are_numbers_or_infinite():
    m = da.load("RZ(-1, T1MAX), TXK(1), TX(0, 2), RZ();", base="free")
    bodies = (*m.bodies[:-1], replace(m.bodies[-1], effort_limit=-3, velocity_limit=2))
    m = replace(m, bodies=bodies)
    assert coordinate_limits(m) == [(-inf, inf)] * 7 + [(-1, inf), (0, 2), (-inf, inf)]
    assert rate_limits(m, "effort_limit") == [inf] * 8 + [3.0]
    assert rate_limits(m, "velocity_limit")[-1] == 2
    assert coordinate_limits(m.with_values(T1MAX=1))[7] == (-1, 1)
