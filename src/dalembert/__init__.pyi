# Written by tools/stub.py from the catalog and the exports: do not edit.

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .catalog.table import Quantity as Quantity
from .plan import LoopPlan
from .runtime.kernel import Kernel as Kernel
from . import control as control
from . import robots as robots
from . import trajectory as trajectory
from .algorithms.regressor import parameter_names as parameter_names
from .algorithms.regressor import parameter_vector as parameter_vector
from .catalog import catalog as catalog
from .compute import integrate as integrate
from .compute import neutral as neutral
from .compute.legs import leg_branches as leg_branches
from .compute.loops import assembly_along as assembly_along
from .compute.modes import assembly_modes as assembly_modes
from .compute.task import task_model as task_model
from .equations import equations as equations
from .equations.kane_form import kane_form as kane_form
from .equilibrium import equilibrium as equilibrium
from .errors import ComputationError as ComputationError
from .errors import DalembertError as DalembertError
from .errors import DescriptionError as DescriptionError
from .errors import ModelError as ModelError
from .errors import NotPolynomialError as NotPolynomialError
from .errors import ParameterError as ParameterError
from .errors import SingularModel as SingularModel
from .errors import SingularPose as SingularPose
from .errors import TooLargeError as TooLargeError
from .errors import UsageError as UsageError
from .export import export as export
from .identify.active_rows import active_regressor as active_regressor
from .identify.closed_base import base_parameters as base_parameters
from .identify.excite import excite as excite
from .identify.identify import identify as identify
from .linearize import linearize as linearize
from .measure.motion import read_motion as read_motion
from .mechanism import Mechanism as Mechanism
from .plan import mobility as mobility
from .plan import plan as plan
from .plan import regular_pose as regular_pose
from .plan import singularity as singularity
from .plan.assembly import assemble as assemble
from .plan.closed_poses import planar_branches as planar_branches
from .plan.kane import kane_speeds as kane_speeds
from .plan.singular import cartesian_singularity as cartesian_singularity
from .read import load as load
from .simulate import simulate as simulate
from .simulate.slip import compare_slip as compare_slip
from .studio import studio as studio
from .sweep.optimise import optimise as optimise
from .sweep.size import size as size
from .sweep.sweep import sweep as sweep
from .trajectory.inverse_kinematics import inverse_kinematics as inverse_kinematics
from .trajectory.torques import torques_along as torques_along

Array: TypeAlias = NDArray[np.float64]
QUANTITIES: tuple[str, ...]
EXPORTS: dict[str, str]
__version__: str

class _Kernel1(Kernel):
    def __call__(  # type: ignore[override]
        self,
        q: ArrayLike,
        /,
        *,
        out: Array | tuple[Array, ...] | None = ...,
        parameters: Mapping[str, ArrayLike] | None = ...,
    ) -> Array: ...

class _Kernel2(Kernel):
    def __call__(  # type: ignore[override]
        self,
        q: ArrayLike,
        qd: ArrayLike,
        /,
        *,
        out: Array | tuple[Array, ...] | None = ...,
        parameters: Mapping[str, ArrayLike] | None = ...,
    ) -> Array: ...

class _Kernel3(Kernel):
    def __call__(  # type: ignore[override]
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        /,
        *,
        out: Array | tuple[Array, ...] | None = ...,
        parameters: Mapping[str, ArrayLike] | None = ...,
    ) -> Array: ...

class _Kernel4(Kernel):
    def __call__(  # type: ignore[override]
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        /,
        *,
        out: Array | tuple[Array, ...] | None = ...,
        parameters: Mapping[str, ArrayLike] | None = ...,
    ) -> Array: ...

class _Kernel5(Kernel):
    def __call__(  # type: ignore[override]
        self,
        q: ArrayLike,
        qd: ArrayLike,
        x: ArrayLike,
        /,
        *,
        out: Array | tuple[Array, ...] | None = ...,
        parameters: Mapping[str, ArrayLike] | None = ...,
    ) -> tuple[Array, ...]: ...

class _Kernel6(Kernel):
    def __call__(  # type: ignore[override]
        self,
        q: ArrayLike,
        /,
        *,
        out: Array | tuple[Array, ...] | None = ...,
        parameters: Mapping[str, ArrayLike] | None = ...,
    ) -> tuple[Array, ...]: ...

class _Kernel7(Kernel):
    def __call__(  # type: ignore[override]
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        /,
        *,
        out: Array | tuple[Array, ...] | None = ...,
        parameters: Mapping[str, ArrayLike] | None = ...,
    ) -> tuple[Array, ...]: ...

class _Kernel8(Kernel):
    def __call__(  # type: ignore[override]
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        /,
        *,
        out: Array | tuple[Array, ...] | None = ...,
        parameters: Mapping[str, ArrayLike] | None = ...,
    ) -> tuple[Array, ...]: ...

class _Kernel9(Kernel):
    def __call__(  # type: ignore[override]
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd_joints: ArrayLike,
        /,
        *,
        out: Array | tuple[Array, ...] | None = ...,
        parameters: Mapping[str, ArrayLike] | None = ...,
    ) -> tuple[Array, ...]: ...

class _Kernel10(Kernel):
    def __call__(  # type: ignore[override]
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau_joints: ArrayLike,
        /,
        *,
        out: Array | tuple[Array, ...] | None = ...,
        parameters: Mapping[str, ArrayLike] | None = ...,
    ) -> tuple[Array, ...]: ...

class _Kernel11(Kernel):
    def __call__(  # type: ignore[override]
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd_joints: ArrayLike,
        /,
        *,
        out: Array | tuple[Array, ...] | None = ...,
        parameters: Mapping[str, ArrayLike] | None = ...,
    ) -> Array: ...

class _Kernel12(Kernel):
    def __call__(  # type: ignore[override]
        self,
        q: ArrayLike,
        qd: ArrayLike,
        base_acceleration: ArrayLike,
        qdd_joints: ArrayLike,
        /,
        *,
        out: Array | tuple[Array, ...] | None = ...,
        parameters: Mapping[str, ArrayLike] | None = ...,
    ) -> tuple[Array, ...]: ...

class _Kernel13(Kernel):
    def __call__(  # type: ignore[override]
        self,
        q: ArrayLike,
        steer: ArrayLike,
        /,
        *,
        out: Array | tuple[Array, ...] | None = ...,
        parameters: Mapping[str, ArrayLike] | None = ...,
    ) -> Array: ...

class _Kernel14(Kernel):
    def __call__(  # type: ignore[override]
        self,
        q: ArrayLike,
        alpha: ArrayLike,
        steer: ArrayLike,
        steer_rate: ArrayLike,
        /,
        *,
        out: Array | tuple[Array, ...] | None = ...,
        parameters: Mapping[str, ArrayLike] | None = ...,
    ) -> Array: ...

class _Kernel15(Kernel):
    def __call__(  # type: ignore[override]
        self,
        q: ArrayLike,
        alpha: ArrayLike,
        steer: ArrayLike,
        steer_rate: ArrayLike,
        tau: ArrayLike,
        traction: ArrayLike,
        /,
        *,
        out: Array | tuple[Array, ...] | None = ...,
        parameters: Mapping[str, ArrayLike] | None = ...,
    ) -> Array: ...

class _Kernel16(Kernel):
    def __call__(  # type: ignore[override]
        self,
        q: ArrayLike,
        alpha: ArrayLike,
        steer: ArrayLike,
        steer_rate: ArrayLike,
        tau: ArrayLike,
        traction: ArrayLike,
        /,
        *,
        out: Array | tuple[Array, ...] | None = ...,
        parameters: Mapping[str, ArrayLike] | None = ...,
    ) -> tuple[Array, ...]: ...

class _Kernel17(Kernel):
    def __call__(  # type: ignore[override]
        self,
        q: ArrayLike,
        tau: ArrayLike,
        /,
        *,
        out: Array | tuple[Array, ...] | None = ...,
        parameters: Mapping[str, ArrayLike] | None = ...,
    ) -> Array: ...

class _Kernel18(Kernel):
    def __call__(  # type: ignore[override]
        self,
        pose: ArrayLike,
        twist: ArrayLike,
        twist_rate: ArrayLike,
        /,
        *,
        out: Array | tuple[Array, ...] | None = ...,
        parameters: Mapping[str, ArrayLike] | None = ...,
    ) -> tuple[Array, ...]: ...

class _Kernel19(Kernel):
    def __call__(  # type: ignore[override]
        self,
        pose: ArrayLike,
        twist: ArrayLike,
        twist_rate: ArrayLike,
        /,
        *,
        out: Array | tuple[Array, ...] | None = ...,
        parameters: Mapping[str, ArrayLike] | None = ...,
    ) -> Array: ...

class _Kernel20(Kernel):
    def __call__(  # type: ignore[override]
        self,
        pose: ArrayLike,
        /,
        *,
        out: Array | tuple[Array, ...] | None = ...,
        parameters: Mapping[str, ArrayLike] | None = ...,
    ) -> Array: ...

class _Kernel21(Kernel):
    def __call__(  # type: ignore[override]
        self,
        pose: ArrayLike,
        twist: ArrayLike,
        /,
        *,
        out: Array | tuple[Array, ...] | None = ...,
        parameters: Mapping[str, ArrayLike] | None = ...,
    ) -> tuple[Array, ...]: ...

class _Kernel22(Kernel):
    def __call__(  # type: ignore[override]
        self,
        pose: ArrayLike,
        twist: ArrayLike,
        forces: ArrayLike,
        /,
        *,
        out: Array | tuple[Array, ...] | None = ...,
        parameters: Mapping[str, ArrayLike] | None = ...,
    ) -> Array: ...

class _Kernel23(Kernel):
    def __call__(  # type: ignore[override]
        self,
        q: ArrayLike,
        qd: ArrayLike,
        /,
        *,
        out: Array | tuple[Array, ...] | None = ...,
        parameters: Mapping[str, ArrayLike] | None = ...,
    ) -> tuple[Array, ...]: ...

@overload
def compile(
    m: Mechanism,
    quantity: Literal[
        "pose",
        "jacobian",
        "centre_of_mass",
        "potential_energy",
        "mass_matrix",
        "gravity",
        "spatial_inertia",
        "kane_J_h",
        "cartesian_mass",
        "active_chain_W",
        "assembly",
        "active_map",
        "active_mass_matrix",
        "closure",
        "loop_jacobian",
        "cut_coordinates",
    ],
    method: str | None = ...,
    *,
    wrench: Literal[False] = ...,
    threads: int = ...,
    parameters: Sequence[str] | None = ...,
    plan: LoopPlan | None = ...,
    wrt: Sequence[str] | None = ...,
    packed: bool = ...,
    dtype: Literal["float64", "float32"] = ...,
    layout: Literal["rows", "tiles"] = ...,
    reduce: Literal["max", "sum", "norm"] | None = ...,
    single: bool = ...,
    axes: str = ...,
    branch: int | Sequence[int] = ...,
    columns: str = ...,
    convention: str = ...,
    drives: str = ...,
    frame: str | None = ...,
    given: Sequence[str | int] = ...,
    rows: str | Sequence[str | int] | None = ...,
    steps: int = ...,
    weights: ArrayLike | None = ...,
) -> _Kernel1: ...

@overload
def compile(
    m: Mechanism,
    quantity: Literal[
        "jacobian_derivative",
        "velocity",
        "momentum",
        "kinetic_energy",
        "coriolis",
        "coriolis_matrix",
        "bias",
        "spatial_velocity",
        "energy_regressor",
        "cartesian_bias",
        "active_chain_V",
        "active_bias",
    ],
    method: str | None = ...,
    *,
    wrench: Literal[False] = ...,
    threads: int = ...,
    parameters: Sequence[str] | None = ...,
    plan: LoopPlan | None = ...,
    wrt: Sequence[str] | None = ...,
    packed: bool = ...,
    dtype: Literal["float64", "float32"] = ...,
    layout: Literal["rows", "tiles"] = ...,
    reduce: Literal["max", "sum", "norm"] | None = ...,
    single: bool = ...,
    axes: str = ...,
    branch: int | Sequence[int] = ...,
    columns: str = ...,
    convention: str = ...,
    drives: str = ...,
    frame: str | None = ...,
    given: Sequence[str | int] = ...,
    rows: str | Sequence[str | int] | None = ...,
    steps: int = ...,
    weights: ArrayLike | None = ...,
) -> _Kernel2: ...

@overload
def compile(
    m: Mechanism,
    quantity: Literal[
        "acceleration",
        "acceleration_energy",
        "inverse_dynamics",
        "link_wrenches",
        "spatial_acceleration",
        "spatial_force",
        "regressor",
        "tree_torques",
        "active_torques",
        "loop_reactions",
    ],
    method: str | None = ...,
    *,
    wrench: Literal[False] = ...,
    threads: int = ...,
    parameters: Sequence[str] | None = ...,
    plan: LoopPlan | None = ...,
    wrt: Sequence[str] | None = ...,
    packed: bool = ...,
    dtype: Literal["float64", "float32"] = ...,
    layout: Literal["rows", "tiles"] = ...,
    reduce: Literal["max", "sum", "norm"] | None = ...,
    single: bool = ...,
    axes: str = ...,
    branch: int | Sequence[int] = ...,
    columns: str = ...,
    convention: str = ...,
    drives: str = ...,
    frame: str | None = ...,
    given: Sequence[str | int] = ...,
    rows: str | Sequence[str | int] | None = ...,
    steps: int = ...,
    weights: ArrayLike | None = ...,
) -> _Kernel3: ...

@overload
def compile(
    m: Mechanism,
    quantity: Literal[
        "forward_dynamics",
    ],
    method: str | None = ...,
    *,
    wrench: Literal[False] = ...,
    threads: int = ...,
    parameters: Sequence[str] | None = ...,
    plan: LoopPlan | None = ...,
    wrt: Sequence[str] | None = ...,
    packed: bool = ...,
    dtype: Literal["float64", "float32"] = ...,
    layout: Literal["rows", "tiles"] = ...,
    reduce: Literal["max", "sum", "norm"] | None = ...,
    single: bool = ...,
    axes: str = ...,
    branch: int | Sequence[int] = ...,
    columns: str = ...,
    convention: str = ...,
    drives: str = ...,
    frame: str | None = ...,
    given: Sequence[str | int] = ...,
    rows: str | Sequence[str | int] | None = ...,
    steps: int = ...,
    weights: ArrayLike | None = ...,
) -> _Kernel4: ...

@overload
def compile(
    m: Mechanism,
    quantity: Literal[
        "hybrid_dynamics",
    ],
    method: str | None = ...,
    *,
    wrench: Literal[False] = ...,
    threads: int = ...,
    parameters: Sequence[str] | None = ...,
    plan: LoopPlan | None = ...,
    wrt: Sequence[str] | None = ...,
    packed: bool = ...,
    dtype: Literal["float64", "float32"] = ...,
    layout: Literal["rows", "tiles"] = ...,
    reduce: Literal["max", "sum", "norm"] | None = ...,
    single: bool = ...,
    axes: str = ...,
    branch: int | Sequence[int] = ...,
    columns: str = ...,
    convention: str = ...,
    drives: str = ...,
    frame: str | None = ...,
    given: Sequence[str | int] = ...,
    rows: str | Sequence[str | int] | None = ...,
    steps: int = ...,
    weights: ArrayLike | None = ...,
) -> _Kernel5: ...

@overload
def compile(
    m: Mechanism,
    quantity: Literal[
        "lagrange_coefficients",
    ],
    method: str | None = ...,
    *,
    wrench: Literal[False] = ...,
    threads: int = ...,
    parameters: Sequence[str] | None = ...,
    plan: LoopPlan | None = ...,
    wrt: Sequence[str] | None = ...,
    packed: bool = ...,
    dtype: Literal["float64", "float32"] = ...,
    layout: Literal["rows", "tiles"] = ...,
    reduce: Literal["max", "sum", "norm"] | None = ...,
    single: bool = ...,
    axes: str = ...,
    branch: int | Sequence[int] = ...,
    columns: str = ...,
    convention: str = ...,
    drives: str = ...,
    frame: str | None = ...,
    given: Sequence[str | int] = ...,
    rows: str | Sequence[str | int] | None = ...,
    steps: int = ...,
    weights: ArrayLike | None = ...,
) -> _Kernel6: ...

@overload
def compile(
    m: Mechanism,
    quantity: Literal[
        "inverse_dynamics_derivatives",
        "elastic_inverse",
        "tree_motion",
    ],
    method: str | None = ...,
    *,
    wrench: Literal[False] = ...,
    threads: int = ...,
    parameters: Sequence[str] | None = ...,
    plan: LoopPlan | None = ...,
    wrt: Sequence[str] | None = ...,
    packed: bool = ...,
    dtype: Literal["float64", "float32"] = ...,
    layout: Literal["rows", "tiles"] = ...,
    reduce: Literal["max", "sum", "norm"] | None = ...,
    single: bool = ...,
    axes: str = ...,
    branch: int | Sequence[int] = ...,
    columns: str = ...,
    convention: str = ...,
    drives: str = ...,
    frame: str | None = ...,
    given: Sequence[str | int] = ...,
    rows: str | Sequence[str | int] | None = ...,
    steps: int = ...,
    weights: ArrayLike | None = ...,
) -> _Kernel7: ...

@overload
def compile(
    m: Mechanism,
    quantity: Literal[
        "forward_dynamics_derivatives",
    ],
    method: str | None = ...,
    *,
    wrench: Literal[False] = ...,
    threads: int = ...,
    parameters: Sequence[str] | None = ...,
    plan: LoopPlan | None = ...,
    wrt: Sequence[str] | None = ...,
    packed: bool = ...,
    dtype: Literal["float64", "float32"] = ...,
    layout: Literal["rows", "tiles"] = ...,
    reduce: Literal["max", "sum", "norm"] | None = ...,
    single: bool = ...,
    axes: str = ...,
    branch: int | Sequence[int] = ...,
    columns: str = ...,
    convention: str = ...,
    drives: str = ...,
    frame: str | None = ...,
    given: Sequence[str | int] = ...,
    rows: str | Sequence[str | int] | None = ...,
    steps: int = ...,
    weights: ArrayLike | None = ...,
) -> _Kernel8: ...

@overload
def compile(
    m: Mechanism,
    quantity: Literal[
        "moving_base_inverse",
        "elastic_base_inverse",
    ],
    method: str | None = ...,
    *,
    wrench: Literal[False] = ...,
    threads: int = ...,
    parameters: Sequence[str] | None = ...,
    plan: LoopPlan | None = ...,
    wrt: Sequence[str] | None = ...,
    packed: bool = ...,
    dtype: Literal["float64", "float32"] = ...,
    layout: Literal["rows", "tiles"] = ...,
    reduce: Literal["max", "sum", "norm"] | None = ...,
    single: bool = ...,
    axes: str = ...,
    branch: int | Sequence[int] = ...,
    columns: str = ...,
    convention: str = ...,
    drives: str = ...,
    frame: str | None = ...,
    given: Sequence[str | int] = ...,
    rows: str | Sequence[str | int] | None = ...,
    steps: int = ...,
    weights: ArrayLike | None = ...,
) -> _Kernel9: ...

@overload
def compile(
    m: Mechanism,
    quantity: Literal[
        "moving_base_direct",
    ],
    method: str | None = ...,
    *,
    wrench: Literal[False] = ...,
    threads: int = ...,
    parameters: Sequence[str] | None = ...,
    plan: LoopPlan | None = ...,
    wrt: Sequence[str] | None = ...,
    packed: bool = ...,
    dtype: Literal["float64", "float32"] = ...,
    layout: Literal["rows", "tiles"] = ...,
    reduce: Literal["max", "sum", "norm"] | None = ...,
    single: bool = ...,
    axes: str = ...,
    branch: int | Sequence[int] = ...,
    columns: str = ...,
    convention: str = ...,
    drives: str = ...,
    frame: str | None = ...,
    given: Sequence[str | int] = ...,
    rows: str | Sequence[str | int] | None = ...,
    steps: int = ...,
    weights: ArrayLike | None = ...,
) -> _Kernel10: ...

@overload
def compile(
    m: Mechanism,
    quantity: Literal[
        "base_acceleration",
    ],
    method: str | None = ...,
    *,
    wrench: Literal[False] = ...,
    threads: int = ...,
    parameters: Sequence[str] | None = ...,
    plan: LoopPlan | None = ...,
    wrt: Sequence[str] | None = ...,
    packed: bool = ...,
    dtype: Literal["float64", "float32"] = ...,
    layout: Literal["rows", "tiles"] = ...,
    reduce: Literal["max", "sum", "norm"] | None = ...,
    single: bool = ...,
    axes: str = ...,
    branch: int | Sequence[int] = ...,
    columns: str = ...,
    convention: str = ...,
    drives: str = ...,
    frame: str | None = ...,
    given: Sequence[str | int] = ...,
    rows: str | Sequence[str | int] | None = ...,
    steps: int = ...,
    weights: ArrayLike | None = ...,
) -> _Kernel11: ...

@overload
def compile(
    m: Mechanism,
    quantity: Literal[
        "prescribed_base_inverse",
    ],
    method: str | None = ...,
    *,
    wrench: Literal[False] = ...,
    threads: int = ...,
    parameters: Sequence[str] | None = ...,
    plan: LoopPlan | None = ...,
    wrt: Sequence[str] | None = ...,
    packed: bool = ...,
    dtype: Literal["float64", "float32"] = ...,
    layout: Literal["rows", "tiles"] = ...,
    reduce: Literal["max", "sum", "norm"] | None = ...,
    single: bool = ...,
    axes: str = ...,
    branch: int | Sequence[int] = ...,
    columns: str = ...,
    convention: str = ...,
    drives: str = ...,
    frame: str | None = ...,
    given: Sequence[str | int] = ...,
    rows: str | Sequence[str | int] | None = ...,
    steps: int = ...,
    weights: ArrayLike | None = ...,
) -> _Kernel12: ...

@overload
def compile(
    m: Mechanism,
    quantity: Literal[
        "kane_J_nh",
        "kane_J",
        "kane_D",
        "kane_gw",
    ],
    method: str | None = ...,
    *,
    wrench: Literal[False] = ...,
    threads: int = ...,
    parameters: Sequence[str] | None = ...,
    plan: LoopPlan | None = ...,
    wrt: Sequence[str] | None = ...,
    packed: bool = ...,
    dtype: Literal["float64", "float32"] = ...,
    layout: Literal["rows", "tiles"] = ...,
    reduce: Literal["max", "sum", "norm"] | None = ...,
    single: bool = ...,
    axes: str = ...,
    branch: int | Sequence[int] = ...,
    columns: str = ...,
    convention: str = ...,
    drives: str = ...,
    frame: str | None = ...,
    given: Sequence[str | int] = ...,
    rows: str | Sequence[str | int] | None = ...,
    steps: int = ...,
    weights: ArrayLike | None = ...,
) -> _Kernel13: ...

@overload
def compile(
    m: Mechanism,
    quantity: Literal[
        "kane_Jdot",
        "kane_C",
        "kane_g0",
    ],
    method: str | None = ...,
    *,
    wrench: Literal[False] = ...,
    threads: int = ...,
    parameters: Sequence[str] | None = ...,
    plan: LoopPlan | None = ...,
    wrt: Sequence[str] | None = ...,
    packed: bool = ...,
    dtype: Literal["float64", "float32"] = ...,
    layout: Literal["rows", "tiles"] = ...,
    reduce: Literal["max", "sum", "norm"] | None = ...,
    single: bool = ...,
    axes: str = ...,
    branch: int | Sequence[int] = ...,
    columns: str = ...,
    convention: str = ...,
    drives: str = ...,
    frame: str | None = ...,
    given: Sequence[str | int] = ...,
    rows: str | Sequence[str | int] | None = ...,
    steps: int = ...,
    weights: ArrayLike | None = ...,
) -> _Kernel14: ...

@overload
def compile(
    m: Mechanism,
    quantity: Literal[
        "kane_tau",
        "alpha_dot",
        "constraint_forces",
    ],
    method: str | None = ...,
    *,
    wrench: Literal[False] = ...,
    threads: int = ...,
    parameters: Sequence[str] | None = ...,
    plan: LoopPlan | None = ...,
    wrt: Sequence[str] | None = ...,
    packed: bool = ...,
    dtype: Literal["float64", "float32"] = ...,
    layout: Literal["rows", "tiles"] = ...,
    reduce: Literal["max", "sum", "norm"] | None = ...,
    single: bool = ...,
    axes: str = ...,
    branch: int | Sequence[int] = ...,
    columns: str = ...,
    convention: str = ...,
    drives: str = ...,
    frame: str | None = ...,
    given: Sequence[str | int] = ...,
    rows: str | Sequence[str | int] | None = ...,
    steps: int = ...,
    weights: ArrayLike | None = ...,
) -> _Kernel15: ...

@overload
def compile(
    m: Mechanism,
    quantity: Literal[
        "kane_motion",
    ],
    method: str | None = ...,
    *,
    wrench: Literal[False] = ...,
    threads: int = ...,
    parameters: Sequence[str] | None = ...,
    plan: LoopPlan | None = ...,
    wrt: Sequence[str] | None = ...,
    packed: bool = ...,
    dtype: Literal["float64", "float32"] = ...,
    layout: Literal["rows", "tiles"] = ...,
    reduce: Literal["max", "sum", "norm"] | None = ...,
    single: bool = ...,
    axes: str = ...,
    branch: int | Sequence[int] = ...,
    columns: str = ...,
    convention: str = ...,
    drives: str = ...,
    frame: str | None = ...,
    given: Sequence[str | int] = ...,
    rows: str | Sequence[str | int] | None = ...,
    steps: int = ...,
    weights: ArrayLike | None = ...,
) -> _Kernel16: ...

@overload
def compile(
    m: Mechanism,
    quantity: Literal[
        "cartesian_force",
    ],
    method: str | None = ...,
    *,
    wrench: Literal[False] = ...,
    threads: int = ...,
    parameters: Sequence[str] | None = ...,
    plan: LoopPlan | None = ...,
    wrt: Sequence[str] | None = ...,
    packed: bool = ...,
    dtype: Literal["float64", "float32"] = ...,
    layout: Literal["rows", "tiles"] = ...,
    reduce: Literal["max", "sum", "norm"] | None = ...,
    single: bool = ...,
    axes: str = ...,
    branch: int | Sequence[int] = ...,
    columns: str = ...,
    convention: str = ...,
    drives: str = ...,
    frame: str | None = ...,
    given: Sequence[str | int] = ...,
    rows: str | Sequence[str | int] | None = ...,
    steps: int = ...,
    weights: ArrayLike | None = ...,
) -> _Kernel17: ...

@overload
def compile(
    m: Mechanism,
    quantity: Literal[
        "leg_states",
    ],
    method: str | None = ...,
    *,
    wrench: Literal[False] = ...,
    threads: int = ...,
    parameters: Sequence[str] | None = ...,
    plan: LoopPlan | None = ...,
    wrt: Sequence[str] | None = ...,
    packed: bool = ...,
    dtype: Literal["float64", "float32"] = ...,
    layout: Literal["rows", "tiles"] = ...,
    reduce: Literal["max", "sum", "norm"] | None = ...,
    single: bool = ...,
    axes: str = ...,
    branch: int | Sequence[int] = ...,
    columns: str = ...,
    convention: str = ...,
    drives: str = ...,
    frame: str | None = ...,
    given: Sequence[str | int] = ...,
    rows: str | Sequence[str | int] | None = ...,
    steps: int = ...,
    weights: ArrayLike | None = ...,
) -> _Kernel18: ...

@overload
def compile(
    m: Mechanism,
    quantity: Literal[
        "leg_torques",
        "platform_wrench",
        "actuator_forces",
    ],
    method: str | None = ...,
    *,
    wrench: Literal[False] = ...,
    threads: int = ...,
    parameters: Sequence[str] | None = ...,
    plan: LoopPlan | None = ...,
    wrt: Sequence[str] | None = ...,
    packed: bool = ...,
    dtype: Literal["float64", "float32"] = ...,
    layout: Literal["rows", "tiles"] = ...,
    reduce: Literal["max", "sum", "norm"] | None = ...,
    single: bool = ...,
    axes: str = ...,
    branch: int | Sequence[int] = ...,
    columns: str = ...,
    convention: str = ...,
    drives: str = ...,
    frame: str | None = ...,
    given: Sequence[str | int] = ...,
    rows: str | Sequence[str | int] | None = ...,
    steps: int = ...,
    weights: ArrayLike | None = ...,
) -> _Kernel19: ...

@overload
def compile(
    m: Mechanism,
    quantity: Literal[
        "platform_jacobian",
    ],
    method: str | None = ...,
    *,
    wrench: Literal[False] = ...,
    threads: int = ...,
    parameters: Sequence[str] | None = ...,
    plan: LoopPlan | None = ...,
    wrt: Sequence[str] | None = ...,
    packed: bool = ...,
    dtype: Literal["float64", "float32"] = ...,
    layout: Literal["rows", "tiles"] = ...,
    reduce: Literal["max", "sum", "norm"] | None = ...,
    single: bool = ...,
    axes: str = ...,
    branch: int | Sequence[int] = ...,
    columns: str = ...,
    convention: str = ...,
    drives: str = ...,
    frame: str | None = ...,
    given: Sequence[str | int] = ...,
    rows: str | Sequence[str | int] | None = ...,
    steps: int = ...,
    weights: ArrayLike | None = ...,
) -> _Kernel20: ...

@overload
def compile(
    m: Mechanism,
    quantity: Literal[
        "cartesian_model",
    ],
    method: str | None = ...,
    *,
    wrench: Literal[False] = ...,
    threads: int = ...,
    parameters: Sequence[str] | None = ...,
    plan: LoopPlan | None = ...,
    wrt: Sequence[str] | None = ...,
    packed: bool = ...,
    dtype: Literal["float64", "float32"] = ...,
    layout: Literal["rows", "tiles"] = ...,
    reduce: Literal["max", "sum", "norm"] | None = ...,
    single: bool = ...,
    axes: str = ...,
    branch: int | Sequence[int] = ...,
    columns: str = ...,
    convention: str = ...,
    drives: str = ...,
    frame: str | None = ...,
    given: Sequence[str | int] = ...,
    rows: str | Sequence[str | int] | None = ...,
    steps: int = ...,
    weights: ArrayLike | None = ...,
) -> _Kernel21: ...

@overload
def compile(
    m: Mechanism,
    quantity: Literal[
        "platform_acceleration",
    ],
    method: str | None = ...,
    *,
    wrench: Literal[False] = ...,
    threads: int = ...,
    parameters: Sequence[str] | None = ...,
    plan: LoopPlan | None = ...,
    wrt: Sequence[str] | None = ...,
    packed: bool = ...,
    dtype: Literal["float64", "float32"] = ...,
    layout: Literal["rows", "tiles"] = ...,
    reduce: Literal["max", "sum", "norm"] | None = ...,
    single: bool = ...,
    axes: str = ...,
    branch: int | Sequence[int] = ...,
    columns: str = ...,
    convention: str = ...,
    drives: str = ...,
    frame: str | None = ...,
    given: Sequence[str | int] = ...,
    rows: str | Sequence[str | int] | None = ...,
    steps: int = ...,
    weights: ArrayLike | None = ...,
) -> _Kernel22: ...

@overload
def compile(
    m: Mechanism,
    quantity: Literal[
        "task_terms",
    ],
    method: str | None = ...,
    *,
    wrench: Literal[False] = ...,
    threads: int = ...,
    parameters: Sequence[str] | None = ...,
    plan: LoopPlan | None = ...,
    wrt: Sequence[str] | None = ...,
    packed: bool = ...,
    dtype: Literal["float64", "float32"] = ...,
    layout: Literal["rows", "tiles"] = ...,
    reduce: Literal["max", "sum", "norm"] | None = ...,
    single: bool = ...,
    axes: str = ...,
    branch: int | Sequence[int] = ...,
    columns: str = ...,
    convention: str = ...,
    drives: str = ...,
    frame: str | None = ...,
    given: Sequence[str | int] = ...,
    rows: str | Sequence[str | int] | None = ...,
    steps: int = ...,
    weights: ArrayLike | None = ...,
) -> _Kernel23: ...

@overload
def compile(
    m: Mechanism,
    quantity: str,
    method: str | None = ...,
    *,
    wrench: bool = ...,
    threads: int = ...,
    parameters: Sequence[str] | None = ...,
    plan: LoopPlan | None = ...,
    wrt: Sequence[str] | None = ...,
    packed: bool = ...,
    dtype: Literal["float64", "float32"] = ...,
    layout: Literal["rows", "tiles"] = ...,
    reduce: Literal["max", "sum", "norm"] | None = ...,
    single: bool = ...,
    axes: str = ...,
    branch: int | Sequence[int] = ...,
    columns: str = ...,
    convention: str = ...,
    drives: str = ...,
    frame: str | None = ...,
    given: Sequence[str | int] = ...,
    rows: str | Sequence[str | int] | None = ...,
    steps: int = ...,
    weights: ArrayLike | None = ...,
) -> Kernel: ...

def pose(
    m: Mechanism,
    q: ArrayLike,
    *,
    frame: str | None = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def jacobian(
    m: Mechanism,
    q: ArrayLike,
    *,
    frame: str | None = ...,
    axes: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def jacobian_derivative(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    frame: str | None = ...,
    axes: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def velocity(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    frame: str | None = ...,
    axes: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def acceleration(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    frame: str | None = ...,
    axes: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def centre_of_mass(
    m: Mechanism,
    q: ArrayLike,
    *,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def momentum(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def kinetic_energy(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    drives: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def acceleration_energy(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    drives: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def potential_energy(
    m: Mechanism,
    q: ArrayLike,
    *,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def mass_matrix(
    m: Mechanism,
    q: ArrayLike,
    *,
    drives: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def gravity(
    m: Mechanism,
    q: ArrayLike,
    *,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def coriolis(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def coriolis_matrix(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def bias(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    drives: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
    wrench_on_environment: Mapping[str, ArrayLike] | None = ...,
    wrench_on_body: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def inverse_dynamics(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    drives: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
    wrench_on_environment: Mapping[str, ArrayLike] | None = ...,
    wrench_on_body: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def forward_dynamics(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    *,
    drives: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
    wrench_on_environment: Mapping[str, ArrayLike] | None = ...,
    wrench_on_body: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def hybrid_dynamics(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    x: ArrayLike,
    *,
    given: Sequence[str | int] = ...,
    drives: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
    wrench_on_environment: Mapping[str, ArrayLike] | None = ...,
    wrench_on_body: Mapping[str, ArrayLike] | None = ...,
) -> tuple[Array, ...]: ...

def link_wrenches(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
    wrench_on_environment: Mapping[str, ArrayLike] | None = ...,
    wrench_on_body: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def spatial_velocity(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def spatial_acceleration(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def spatial_inertia(
    m: Mechanism,
    q: ArrayLike,
    *,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def spatial_force(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def regressor(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    drives: str = ...,
    columns: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def energy_regressor(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    drives: str = ...,
    columns: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def lagrange_coefficients(
    m: Mechanism,
    q: ArrayLike,
    *,
    drives: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> tuple[Array, ...]: ...

def inverse_dynamics_derivatives(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    drives: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
    wrench_on_environment: Mapping[str, ArrayLike] | None = ...,
    wrench_on_body: Mapping[str, ArrayLike] | None = ...,
) -> tuple[Array, ...]: ...

def forward_dynamics_derivatives(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    *,
    drives: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
    wrench_on_environment: Mapping[str, ArrayLike] | None = ...,
    wrench_on_body: Mapping[str, ArrayLike] | None = ...,
) -> tuple[Array, ...]: ...

def elastic_inverse(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    drives: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
    wrench_on_environment: Mapping[str, ArrayLike] | None = ...,
    wrench_on_body: Mapping[str, ArrayLike] | None = ...,
) -> tuple[Array, ...]: ...

def moving_base_inverse(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    qdd_joints: ArrayLike,
    *,
    drives: str = ...,
    convention: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
    wrench_on_environment: Mapping[str, ArrayLike] | None = ...,
    wrench_on_body: Mapping[str, ArrayLike] | None = ...,
) -> tuple[Array, ...]: ...

def moving_base_direct(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    tau_joints: ArrayLike,
    *,
    drives: str = ...,
    convention: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
    wrench_on_environment: Mapping[str, ArrayLike] | None = ...,
    wrench_on_body: Mapping[str, ArrayLike] | None = ...,
) -> tuple[Array, ...]: ...

def base_acceleration(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    qdd_joints: ArrayLike,
    *,
    convention: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
    wrench_on_environment: Mapping[str, ArrayLike] | None = ...,
    wrench_on_body: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def prescribed_base_inverse(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    base_acceleration: ArrayLike,
    qdd_joints: ArrayLike,
    *,
    drives: str = ...,
    convention: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
    wrench_on_environment: Mapping[str, ArrayLike] | None = ...,
    wrench_on_body: Mapping[str, ArrayLike] | None = ...,
) -> tuple[Array, ...]: ...

def elastic_base_inverse(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    qdd_joints: ArrayLike,
    *,
    drives: str = ...,
    convention: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
    wrench_on_environment: Mapping[str, ArrayLike] | None = ...,
    wrench_on_body: Mapping[str, ArrayLike] | None = ...,
) -> tuple[Array, ...]: ...

def kane_J_h(
    m: Mechanism,
    q: ArrayLike,
    *,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def kane_J_nh(
    m: Mechanism,
    q: ArrayLike,
    steer: ArrayLike,
    *,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def kane_J(
    m: Mechanism,
    q: ArrayLike,
    steer: ArrayLike,
    *,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def kane_Jdot(
    m: Mechanism,
    q: ArrayLike,
    alpha: ArrayLike,
    steer: ArrayLike,
    steer_rate: ArrayLike,
    *,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def kane_D(
    m: Mechanism,
    q: ArrayLike,
    steer: ArrayLike,
    *,
    drives: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def kane_C(
    m: Mechanism,
    q: ArrayLike,
    alpha: ArrayLike,
    steer: ArrayLike,
    steer_rate: ArrayLike,
    *,
    drives: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def kane_g0(
    m: Mechanism,
    q: ArrayLike,
    alpha: ArrayLike,
    steer: ArrayLike,
    steer_rate: ArrayLike,
    *,
    drives: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def kane_gw(
    m: Mechanism,
    q: ArrayLike,
    steer: ArrayLike,
    *,
    drives: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def kane_tau(
    m: Mechanism,
    q: ArrayLike,
    alpha: ArrayLike,
    steer: ArrayLike,
    steer_rate: ArrayLike,
    tau: ArrayLike,
    traction: ArrayLike,
    *,
    drives: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
    wrench_on_environment: Mapping[str, ArrayLike] | None = ...,
    wrench_on_body: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def alpha_dot(
    m: Mechanism,
    q: ArrayLike,
    alpha: ArrayLike,
    steer: ArrayLike,
    steer_rate: ArrayLike,
    tau: ArrayLike,
    traction: ArrayLike,
    *,
    drives: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
    wrench_on_environment: Mapping[str, ArrayLike] | None = ...,
    wrench_on_body: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def kane_motion(
    m: Mechanism,
    q: ArrayLike,
    alpha: ArrayLike,
    steer: ArrayLike,
    steer_rate: ArrayLike,
    tau: ArrayLike,
    traction: ArrayLike,
    *,
    drives: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
    wrench_on_environment: Mapping[str, ArrayLike] | None = ...,
    wrench_on_body: Mapping[str, ArrayLike] | None = ...,
) -> tuple[Array, ...]: ...

def constraint_forces(
    m: Mechanism,
    q: ArrayLike,
    alpha: ArrayLike,
    steer: ArrayLike,
    steer_rate: ArrayLike,
    tau: ArrayLike,
    traction: ArrayLike,
    *,
    drives: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
    wrench_on_environment: Mapping[str, ArrayLike] | None = ...,
    wrench_on_body: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def cartesian_mass(
    m: Mechanism,
    q: ArrayLike,
    *,
    frame: str | None = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def cartesian_bias(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    frame: str | None = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def cartesian_force(
    m: Mechanism,
    q: ArrayLike,
    tau: ArrayLike,
    *,
    frame: str | None = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def active_chain_W(
    m: Mechanism,
    q: ArrayLike,
    *,
    drives: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def active_chain_V(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    drives: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def assembly(
    m: Mechanism,
    q: ArrayLike,
    *,
    steps: int = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def active_map(
    m: Mechanism,
    q: ArrayLike,
    *,
    steps: int = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def tree_motion(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    steps: int = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> tuple[Array, ...]: ...

def tree_torques(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    steps: int = ...,
    drives: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
    wrench_on_environment: Mapping[str, ArrayLike] | None = ...,
    wrench_on_body: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def active_torques(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    steps: int = ...,
    drives: str = ...,
    weights: ArrayLike | None = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
    wrench_on_environment: Mapping[str, ArrayLike] | None = ...,
    wrench_on_body: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def active_mass_matrix(
    m: Mechanism,
    q: ArrayLike,
    *,
    steps: int = ...,
    drives: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def active_bias(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    steps: int = ...,
    drives: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
    wrench_on_environment: Mapping[str, ArrayLike] | None = ...,
    wrench_on_body: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def loop_reactions(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    steps: int = ...,
    drives: str = ...,
    weights: ArrayLike | None = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
    wrench_on_environment: Mapping[str, ArrayLike] | None = ...,
    wrench_on_body: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def closure(
    m: Mechanism,
    q: ArrayLike,
    *,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def loop_jacobian(
    m: Mechanism,
    q: ArrayLike,
    *,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def cut_coordinates(
    m: Mechanism,
    q: ArrayLike,
    *,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def leg_states(
    m: Mechanism,
    pose: ArrayLike,
    twist: ArrayLike,
    twist_rate: ArrayLike,
    *,
    branch: int | Sequence[int] = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> tuple[Array, ...]: ...

def leg_torques(
    m: Mechanism,
    pose: ArrayLike,
    twist: ArrayLike,
    twist_rate: ArrayLike,
    *,
    branch: int | Sequence[int] = ...,
    drives: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def platform_wrench(
    m: Mechanism,
    pose: ArrayLike,
    twist: ArrayLike,
    twist_rate: ArrayLike,
    *,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def platform_jacobian(
    m: Mechanism,
    pose: ArrayLike,
    *,
    branch: int | Sequence[int] = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def actuator_forces(
    m: Mechanism,
    pose: ArrayLike,
    twist: ArrayLike,
    twist_rate: ArrayLike,
    *,
    branch: int | Sequence[int] = ...,
    drives: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def cartesian_model(
    m: Mechanism,
    pose: ArrayLike,
    twist: ArrayLike,
    *,
    branch: int | Sequence[int] = ...,
    drives: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> tuple[Array, ...]: ...

def platform_acceleration(
    m: Mechanism,
    pose: ArrayLike,
    twist: ArrayLike,
    forces: ArrayLike,
    *,
    branch: int | Sequence[int] = ...,
    drives: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> Array: ...

def task_terms(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    frame: str | None = ...,
    rows: str | Sequence[str | int] | None = ...,
    axes: str = ...,
    drives: str = ...,
    method: str | None = ...,
    check: bool = ...,
    out: Array | tuple[Array, ...] | None = ...,
    parameters: Mapping[str, ArrayLike] | None = ...,
) -> tuple[Array, ...]: ...
