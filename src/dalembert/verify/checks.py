"""How each expected number of a reference file is computed: one row per key.

A table holds, for each key, the reference as an array over the states and the computations that
must give it; a new mechanism class adds a table and a word in `class_of`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from ..algebra import Vec3
from ..catalog import quantity
from ..compute import arrays_of, evaluate
from ..errors import DescriptionError
from ..mechanism import Mechanism
from ..reference import in_floats

Array = np.ndarray
Results = tuple[Array, ...]  # one array per output of a quantity, states first


@dataclass(frozen=True)
class Case:
    """One description of a reference file's mechanism, and the states to compare at."""

    m: Mechanism
    data: Mapping[str, Any]
    states: Sequence[Mapping[str, Any]]
    kernels: bool = True  # the default method by its compiled kernel
    memo: dict[Any, Any] = field(default_factory=dict)  # what was computed for another key

    def rows(self, key: str, size: int | None = None) -> Array:
        """Return a vector of every state, null as nan."""
        size = self.m.nv if size is None else size
        out = np.empty((len(self.states), size))
        for k, state in enumerate(self.states):
            if key not in state:
                raise DescriptionError(f"state {k} has no {key!r}")
            row = array_of(state[key], f"state {k}, {key}")
            if row.shape != (size,):
                raise DescriptionError(
                    f"state {k}, {key}: {size} numbers are needed, not a shape of {row.shape}"
                )
            out[k] = row
        return out

    @property
    def motion(self) -> tuple[Array, Array, Array]:
        """The states of the file: q, qd, qdd."""
        return self.rows("q", self.m.nq), self.rows("qd"), self.rows("qdd")


def array_of(value: Any, where: str) -> Array:
    """Return nested lists of numbers as an array, null as nan."""
    try:
        return np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise DescriptionError(f"{where}: not an array of numbers") from None


# -- running a quantity --------------------------------------------------------------------------


def run(
    case: Case,
    name: str,
    method: str,
    inputs: Sequence[Array],
    wrench: Array | None = None,
    m: Mechanism | None = None,
    **options: Any,
) -> Results:
    """Return the outputs of one method: by its kernel if it is the default, else in floats."""
    m = m or case.m
    arrays = [*inputs, *([] if wrench is None else [wrench])]
    key = (m.digest, name, method, repr(options), *(x.tobytes() for x in arrays))
    if key not in case.memo:
        case.memo[key] = _run(case, m, name, method, inputs, wrench, **options)
    return case.memo[key]


def _run(
    case: Case,
    m: Mechanism,
    name: str,
    method: str,
    inputs: Sequence[Array],
    wrench: Array | None,
    **options: Any,
) -> Results:
    if case.kernels and method == quantity(name, m).default:
        given: dict[str, Any] = {} if wrench is None else {"wrench_on_environment": wrench}
        return arrays_of(evaluate(m, name, *inputs, method=method, check=False, **given, **options))
    return in_floats(m, name, method, inputs, wrench, **options)


# -- one computation of one key ------------------------------------------------------------------


@dataclass(frozen=True)
class Check:
    """A catalog quantity that gives the numbers of a key, by every method of the catalog."""

    quantity: str
    inputs: Callable[[Case], Sequence[Array]]
    value: Callable[[Case, Results], Array] = lambda case, out: out[0]
    options: Callable[[Case], dict[str, Any]] = lambda case: {}
    model: Callable[[Mechanism], Mechanism] = lambda m: m

    def methods(self, case: Case) -> Iterator[tuple[str, Callable[[], Array]]]:
        """Yield (method, a function that gives the array of all states)."""
        for method in quantity(self.quantity).methods:
            yield method, partial(self._by, case, method)

    def _by(self, case: Case, method: str) -> Array:
        options = self.options(case)
        m = self.model(case.m)
        return self.value(case, run(case, self.quantity, method, self.inputs(case), m=m, **options))


@dataclass(frozen=True)
class Locked:
    """The mechanism with its last joints held where the state has them, by every method."""

    quantity: str
    inputs: tuple[str, ...]
    kept: Callable[[Mapping[str, Any]], int]
    sign: int = 1
    options: Mapping[str, Any] = field(default_factory=dict)

    def methods(self, case: Case) -> Iterator[tuple[str, Callable[[], Array]]]:
        """Yield each method with what it computes."""
        for method in quantity(self.quantity).methods:
            yield method, partial(self._by, case, method)

    def _by(self, case: Case, method: str) -> Array:
        out = []
        for state in case.states:
            n, one = self.kept(state), replace(case, states=[state])
            inputs = [one.rows(key)[:, :n] for key in self.inputs]
            m = self._locked(one, n)
            (found,) = in_floats(m, self.quantity, method, inputs, **self.options)
            out.append(self.sign * found[0])
        return np.array(out)

    def _locked(self, case: Case, n: int) -> Mechanism:
        q = case.rows("q")[0]
        key = ("locked", n, q.tobytes())
        if key not in case.memo:
            m = case.m
            for joint in range(len(m.joint_names), n, -1):
                m = m.lock([joint], at=float(q[joint - 1]))
            case.memo[key] = m.bound()
        return case.memo[key]


@dataclass(frozen=True)
class Entry:
    """What is known of a key: its computations, its reference, and for accelerations where."""

    checks: tuple[Any, ...]
    reference: Callable[[Case, Sequence[Any]], Array] = lambda case, values: np.array(
        [array_of(v, "expected") for v in values]
    )
    # for results of acceleration type: the coordinates at which M counts
    accelerates: Callable[[Case], Array] | None = None


# -- trees ---------------------------------------------------------------------------------------

PLAIN = {"drives": "none"}


def plain(case: Case) -> dict[str, Any]:
    """Return the options of a model without drives."""
    return dict(PLAIN)


def _q(case: Case) -> Sequence[Array]:
    return (case.motion[0],)


def _q_qd(case: Case) -> Sequence[Array]:
    return case.motion[:2]


def _motion(case: Case) -> Sequence[Array]:
    return case.motion


def _at_rest(case: Case) -> Sequence[Array]:
    q, qd, qdd = case.motion
    return q, np.zeros_like(qd), qdd


def _wrench(case: Case) -> dict[str, Any]:
    key = "external_wrench_on_environment"
    out = np.zeros((len(case.states), len(case.m.bodies), 6))
    for k, state in enumerate(case.states):
        for body, six in state.get(key, {}).items():
            if not body.isdecimal() or int(body) >= len(case.m.bodies):
                raise DescriptionError(f"state {k}, {key}: there is no body {body!r}")
            row = array_of(six, f"state {k}, {key}")
            if row.shape != (6,):
                raise DescriptionError(f"state {k}, {key}, body {body}: 6 numbers are needed")
            out[k, int(body)] = row
    return {"wrench": out, **PLAIN}


def _weightless(m: Mechanism) -> Mechanism:
    return replace(m, gravity=Vec3.zero(), checked=True)


def output(k: int) -> Callable[[Case, Results], Array]:
    """Return what picks output k of several."""
    return lambda case, out: out[k]


def _minus(case: Case, out: Results) -> Array:
    return -out[0]


def _pairs(case: Case, out: Results) -> Array:
    """Return B with each pair once, k > j."""
    return np.triu(out[2], 1)


def _pairs_reference(case: Case, values: Sequence[Any]) -> Array:
    n = case.m.nv
    B = np.zeros((len(values), n, n, n))
    for s, rows in enumerate(values):
        for row in rows:
            i, j, k = (int(x) - 1 for x in row[:3])
            if not (0 <= i < n and 0 <= j < k < n):
                raise DescriptionError(f"B: {row[:3]} is not a triple i, j < k of 1 to {n}")
            B[s, i, j, k] = float(row[3])
    return B


def _forces(inputs: Callable[[Case], Sequence[Array]] = _motion, **changes: Any) -> Check:
    return Check("inverse_dynamics", inputs, options=changes.pop("options", plain), **changes)


def _kept(path: str) -> Callable[[Mapping[str, Any]], int]:
    return lambda state: len(state["expected"]["restricted_model_frozen_wrist"][path])


MASS = Check("mass_matrix", _q, options=plain)
WRIST = "restricted_model_frozen_wrist"

TREE: dict[str, Entry] = {
    "tau": Entry((_forces(),)),
    "A": Entry((MASS,)),
    "gravity_load": Entry((Check("gravity", _q),)),
    "coriolis_centrifugal": Entry((Check("coriolis", _q_qd),)),
    "Q": Entry(
        (
            Check("gravity", _q, _minus),
            Check("lagrange_coefficients", _q, options=plain),
        )
    ),
    "B_nonzero_1based_ijk_k_gt_j": Entry(
        (Check("lagrange_coefficients", _q, _pairs, options=plain),), _pairs_reference
    ),
    "C": Entry((Check("lagrange_coefficients", _q, output(3), options=plain),)),
    "tau_with_Ia_friction": Entry((_forces(options=lambda case: {"drives": "all"}),)),
    "tau_with_external": Entry((_forces(options=_wrench),)),
    "tau_without_coriolis_centrifugal": Entry((_forces(_at_rest),)),
    "tau_without_gravity": Entry((_forces(model=_weightless),)),
    "Ddot": Entry(
        (Check("coriolis_matrix", _q_qd, lambda case, out: out[0] + out[0].swapaxes(1, 2)),)
    ),
    f"{WRIST}.A": Entry((Locked("mass_matrix", ("q",), _kept("A"), options=PLAIN),)),
    f"{WRIST}.Q": Entry((Locked("gravity", ("q",), _kept("Q"), sign=-1),)),
    f"{WRIST}.tau": Entry(
        (Locked("inverse_dynamics", ("q", "qd", "qdd"), _kept("tau"), options=PLAIN),)
    ),
    # Vukobratovic (1979): W = A, V = -(coriolis + gravity)
    "W": Entry((MASS,)),
    "V": Entry((Check("bias", _q_qd, _minus, options=plain),)),
}
