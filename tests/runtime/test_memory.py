"""Dropping a kernel frees its code."""

import gc
import sys

import pytest

from dalembert.runtime import Kernel, compile_program
from runtime.programs import pendulum_chain


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def growth(cycles):
    """Return the bytes kept per compiled and dropped kernel."""
    made = pendulum_chain(2)
    for _ in range(30):
        compile_program(made)
    gc.collect()
    before = resident()
    for _ in range(cycles):
        compile_program(made)
    gc.collect()
    return (resident() - before) / cycles


def kernels():
    return sum(isinstance(x, Kernel) for x in gc.get_objects())


def test_a_kernel_in_a_cycle_is_collected():
    gc.collect()
    before = kernels()
    for _ in range(5):
        loop = [compile_program(pendulum_chain(2))]
        loop.append(loop)
        assert kernels() == before + 1
        del loop
        gc.collect()
        assert kernels() == before


linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")


@linux
def test_dropped_kernels_leave_little():
    assert growth(100) < 64 * 1024  # pages of the allocator; the long test is the strict one


@linux
@pytest.mark.slow
def test_dropped_kernels_leave_nothing():
    growth(300)
    assert growth(2000) < 4096
