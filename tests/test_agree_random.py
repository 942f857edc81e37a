"""Three hundred random mechanisms on which all formalisms agree, in floats, graphs and kernels.

Moving bases, springs, slides, screws, branches and massless bodies are among them. Loops and other
machines have their own tests.
"""

from dataclasses import replace

import numpy as np
import pytest

from dalembert.agree import COMPARED, agree
from dalembert.mechanism import JointSpring
from dalembert.second_opinion import LAWS
from mechanisms import Strata, random_mechanism
from slow_cases import with_slow

COUNT, GROUP, SEED = 300, 5, 71
STRATA = Strata(dof=(1, 8), root=0.2)


def drawn(k):
    """Return mechanism k; every third has springs in some of its joints."""
    m = random_mechanism(SEED, k, STRATA)
    single = [j for j, b in enumerate(m.bodies) if b.joint.nv == 1]
    if k % 3 or not single:
        return m
    rng = np.random.default_rng(k)
    springs = [JointSpring(j, float(rng.uniform(1, 500)), float(rng.normal()), 0.3) for j in single]
    return replace(m, elastic=tuple(springs[::2]), checked=False)


def check(first, forms, states):
    wrong = []
    for k in range(first, first + GROUP):
        m = drawn(k)
        for one in agree(m, states, k, forms):
            least = 2 if one.quantity in LAWS else 4 if one.quantity in COMPARED else 3
            assert len(one.formalisms) >= least
            if not one.ok:
                wrong.append((m.name, one.quantity, one.formalisms, one.worst.max()))
    assert not wrong


def test_the_mixture_holds_what_it_should():
    kinds, counts = set(), {"moving": 0, "elastic": 0, "branched": 0, "massless": 0}
    for k in range(COUNT):
        m = drawn(k)
        parents = [b.parent for b in m.bodies]
        kinds |= {b.joint.kind for b in m.bodies}
        counts["moving"] += m.bodies[0].joint.kind in ("free", "planar")
        counts["elastic"] += bool(m.elastic)
        counts["branched"] += len(set(parents)) < len(parents)
        counts["massless"] += any(b.inertia.is_massless() for b in m.bodies)
    assert kinds >= {"revolute", "prismatic", "screw", "spherical", "planar", "free", "fixed"}
    assert min(counts.values()) >= 40, counts


@pytest.mark.parametrize("first", [0, GROUP])
def test_floats_and_graphs_agree(first):
    check(first, ("float", "graph"), 3)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, COUNT, GROUP))
def test_floats_graphs_and_the_kernel_agree(first):
    check(first, ("float", "graph", "kernel"), 5)


@pytest.mark.parametrize("first", with_slow(range(0, 6 * GROUP, GROUP), fast=0))
def test_floats_and_kernels_of_all_formalisms_agree(first):
    check(first, ("float", "kernels"), 5)
