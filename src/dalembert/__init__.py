"""Dynamic models of robots and articulated machines, generated and run.

Public names are imported when first used, so that `import dalembert` stays light.
"""

import sys
from functools import cache
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any

__version__ = "0.1.0"

# one function per row of the catalog; tests/test_exports.py checks that the two agree
QUANTITIES = (
    "pose",
    "jacobian",
    "jacobian_derivative",
    "velocity",
    "acceleration",
    "centre_of_mass",
    "momentum",
    "kinetic_energy",
    "acceleration_energy",
    "potential_energy",
    "mass_matrix",
    "gravity",
    "coriolis",
    "coriolis_matrix",
    "bias",
    "inverse_dynamics",
    "forward_dynamics",
    "hybrid_dynamics",
    "link_wrenches",
    "spatial_velocity",
    "spatial_acceleration",
    "spatial_inertia",
    "spatial_force",
    "regressor",
    "energy_regressor",
    "lagrange_coefficients",
    "inverse_dynamics_derivatives",
    "forward_dynamics_derivatives",
    "elastic_inverse",
    "moving_base_inverse",
    "moving_base_direct",
    "base_acceleration",
    "prescribed_base_inverse",
    "elastic_base_inverse",
    "kane_J_h",
    "kane_J_nh",
    "kane_J",
    "kane_Jdot",
    "kane_D",
    "kane_C",
    "kane_g0",
    "kane_gw",
    "kane_tau",
    "alpha_dot",
    "kane_motion",
    "constraint_forces",
    "cartesian_mass",
    "cartesian_bias",
    "cartesian_force",
    "active_chain_W",
    "active_chain_V",
    "assembly",
    "active_map",
    "tree_motion",
    "tree_torques",
    "active_torques",
    "active_mass_matrix",
    "active_bias",
    "loop_reactions",
    "closure",
    "loop_jacobian",
    "cut_coordinates",
    "leg_states",
    "leg_torques",
    "platform_wrench",
    "platform_jacobian",
    "actuator_forces",
    "cartesian_model",
    "platform_acceleration",
    "task_terms",
)

# public name -> the module that holds it; a module may also stand for itself
EXPORTS = {
    "load": "dalembert.read",
    "equations": "dalembert.equations",
    "kane_form": "dalembert.equations.kane_form",
    "kane_speeds": "dalembert.plan.kane",
    "cartesian_singularity": "dalembert.plan.singular",
    "Mechanism": "dalembert.mechanism",
    "robots": "dalembert.robots",
    "catalog": "dalembert.catalog",
    "base_parameters": "dalembert.identify.closed_base",
    "parameter_names": "dalembert.algorithms.regressor",
    "parameter_vector": "dalembert.algorithms.regressor",
    "compile": "dalembert.compute",
    "integrate": "dalembert.compute",
    "neutral": "dalembert.compute",
    "assemble": "dalembert.plan.assembly",
    "planar_branches": "dalembert.plan.closed_poses",
    "assembly_along": "dalembert.compute.loops",
    "assembly_modes": "dalembert.compute.modes",
    "task_model": "dalembert.compute.task",
    "leg_branches": "dalembert.compute.legs",
    "mobility": "dalembert.plan",
    "simulate": "dalembert.simulate",
    "compare_slip": "dalembert.simulate.slip",
    "trajectory": "dalembert.trajectory",
    "control": "dalembert.control",
    "inverse_kinematics": "dalembert.trajectory.inverse_kinematics",
    "torques_along": "dalembert.trajectory.torques",
    "read_motion": "dalembert.measure.motion",
    "identify": "dalembert.identify.identify",
    "active_regressor": "dalembert.identify.active_rows",
    "excite": "dalembert.identify.excite",
    "sweep": "dalembert.sweep.sweep",
    "optimise": "dalembert.sweep.optimise",
    "size": "dalembert.sweep.size",
    "linearize": "dalembert.linearize",
    "equilibrium": "dalembert.equilibrium",
    "export": "dalembert.export",
    "studio": "dalembert.studio",
    "plan": "dalembert.plan",
    "singularity": "dalembert.plan",
    "regular_pose": "dalembert.plan",
    **dict.fromkeys(QUANTITIES, "dalembert.compute.evaluate"),
    "DalembertError": "dalembert.errors",
    "DescriptionError": "dalembert.errors",
    "ModelError": "dalembert.errors",
    "ParameterError": "dalembert.errors",
    "UsageError": "dalembert.errors",
    "NotPolynomialError": "dalembert.errors",
    "TooLargeError": "dalembert.errors",
    "ComputationError": "dalembert.errors",
    "SingularModel": "dalembert.errors",
    "SingularPose": "dalembert.errors",
}

__all__ = [*EXPORTS, "__version__"]


def __getattr__(name: str) -> Any:
    if name not in EXPORTS:
        from .errors import missing_name

        elsewhere = {}
        if not name.startswith("_"):
            from .catalog.table import MEANT as elsewhere
        raise AttributeError(missing_name("dalembert", name, __all__, elsewhere), name=name)
    module = import_module(EXPORTS[name])
    found = getattr(module, name, module) if _is_itself(module, name) else getattr(module, name)
    made = _opened(name, found) if isinstance(found, FunctionType) else found
    globals()[name] = made  # found directly the next time
    return made


def _is_itself(module: ModuleType, name: str) -> bool:
    return module.__name__ == f"dalembert.{name}"


@cache
def _opened(name: str, function: Any) -> Any:
    """Return a public function whose errors are typed."""
    from .door import door

    return door(function, name)


def __dir__() -> list[str]:
    return sorted(__all__)


class _Package(ModuleType):
    """The package itself: a public function keeps its name when a submodule has the same one."""

    def __setattr__(self, name: str, value: Any) -> None:
        # importing dalembert.simulate would bind that module over the function da.simulate
        if not (isinstance(value, ModuleType) and name in EXPORTS):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
