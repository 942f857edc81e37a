"""The algorithms of rigid bodies with the drives of a machine counted, as tests ask for them.

tau of an inverse model is that of the rigid bodies, of rotors and of friction; springs are tested
on their own. Wrenches may be pairs of vectors.
"""

from dalembert.algorithms import active_chain as chain
from dalembert.algorithms import articulated_body as bodies
from dalembert.algorithms import augmented_body as augmented
from dalembert.algorithms import composite as composite_
from dalembert.algorithms import derivatives, partition
from dalembert.algorithms import direct_by_mass_matrix as by_mass
from dalembert.algorithms import gibbs_appell as gibbs
from dalembert.algorithms import homogeneous as homogeneous_
from dalembert.algorithms import kane as kane_
from dalembert.algorithms import lagrange_coefficients as lagrange
from dalembert.algorithms import multipliers as lagrange_
from dalembert.algorithms import newton_euler as recursive
from dalembert.algorithms import screw_form as screws
from dalembert.algorithms import world_spatial as world
from dalembert.algorithms.joint_forces import JointForces
from dalembert.catalog import QUANTITIES
from dalembert.catalog.models import lagrange_model
from dalembert.linalg import Vector
from dalembert.spatial import Wrench


def wrenches_of(given):
    """Return wrenches by body from pairs of vectors."""
    return {j: Wrench(*w) for j, w in given.items()} if given else None


def _inverse(rigid):
    def inverse(m, q, qd, qdd, wrenches=None, drives="inertia", **options):
        forces = JointForces(m, drives)
        tau = Vector(rigid(m, q, qd, qdd, wrenches_of(wrenches), **options))
        return list(tau.plus(forces.inertial(qdd)).plus(forces.friction(qd)))

    return inverse


newton_euler = _inverse(recursive.newton_euler)
world_spatial = _inverse(world.world_spatial)
screw_form = _inverse(screws.screw_form)
augmented_body = _inverse(augmented.augmented_body)
homogeneous = _inverse(homogeneous_.homogeneous)
active_chain = _inverse(chain.active_chain)
gibbs_appell = _inverse(gibbs.gibbs_appell)
kane = _inverse(kane_.kane)


def link_wrenches(m, q, qd, qdd, wrenches=None):
    return recursive.link_wrenches(m, q, qd, qdd, wrenches_of(wrenches))


def _mass(rigid):
    return lambda m, q, drives="inertia": [
        list(row) for row in JointForces(m, drives).mass(rigid(m, q))
    ]


composite = _mass(composite_.composite)
mass_matrix_by_columns = _mass(by_mass.mass_matrix_by_columns)
active_chain_W = _mass(chain.active_chain_W)


def _direct(rigid):
    def direct(m, q, qd, tau, wrenches=None, drives="inertia"):
        forces = JointForces(m, drives)
        net = Vector(tau).less(forces.friction(qd))
        return list(rigid(m, q, qd, net, wrenches_of(wrenches), forces.rotor))

    return direct


articulated_body = _direct(bodies.articulated_body)
direct_from_inverse = _direct(by_mass.direct_from_inverse)
composite_direct = _direct(by_mass.composite_direct)


def _hybrid(rigid):
    def hybrid(m, q, qd, x, given=(), wrenches=None, drives="inertia", sliding=None):
        forces = JointForces(m, drives)
        rub = forces.friction(qd) if sliding is None else {}
        moved = {m.velocity_index[j] + a for j in given for a in range(m.bodies[j].joint.nv)}
        known = bodies.Known(given, forces.rotor, sliding or {})
        net = Vector(x).less({k: f for k, f in rub.items() if k not in moved})
        qdd, tau, *rest = rigid(m, q, qd, net, known, wrenches_of(wrenches))
        left = [t + rub.get(k, 0) if k in moved else x[k] for k, t in enumerate(tau)]
        if sliding:
            left = [t if k in sliding or k in moved else a for k, (t, a) in
                    enumerate(zip(tau, x, strict=True))]  # fmt: skip
        return qdd, left, *([[w.entries() for w in part] for part in rest])

    return hybrid


hybrid_dynamics = _hybrid(bodies.hybrid_dynamics)
hybrid_by_partition = _hybrid(partition.hybrid_by_partition)


def articulated_body_wrenches(m, q, qd, tau, wrenches=None, drives="inertia"):
    """Return the link wrenches f_j of (43) that the joint forces tau lead to."""
    return hybrid_dynamics(m, q, qd, tau, (), wrenches, drives)[2]


def _slopes(rigid):
    def slopes(m, q, qd, x, drives="inertia", wrenches=None):
        found = rigid(JointForces(m, drives), q, qd, x, wrenches_of(wrenches))
        return tuple([list(row) for row in part] for part in found)

    return slopes


inverse_dynamics_derivatives = _slopes(derivatives.inverse_dynamics_derivatives)
forward_dynamics_derivatives = _slopes(derivatives.forward_dynamics_derivatives)
lagrange_coefficients = lagrange_model(lagrange.lagrange_coefficients)
augmented_coefficients = lagrange_model(augmented.augmented_coefficients)
homogeneous_coefficients = lagrange_model(homogeneous_.homogeneous_coefficients)


def circle(m, q, qd, drives="inertia"):
    """Return (W, V) of an active chain."""
    forces = JointForces(m, drives)
    W, V = chain.circle(m, q, qd)
    return [[x + forces.rotor.get(r, 0) * (r == c) for c, x in enumerate(row)]
            for r, row in enumerate(W)], list(Vector(V).less(forces.friction(qd)))  # fmt: skip


def _row(name, method):
    run = QUANTITIES[name].methods[method]
    inputs = len(QUANTITIES[name].inputs)

    def model(m, *given, wrenches=None, **options):
        names = ("wrenches", "drives", "convention")
        more = dict(zip(names, given[inputs:], strict=False))
        wrenches = more.pop("wrenches", wrenches)
        return run(m, *given[:inputs], wrenches=wrenches_of(wrenches), **more, **options)

    return model


active_chain_V = QUANTITIES["active_chain_V"].methods["active_chain"]
kinetic_energy = QUANTITIES["kinetic_energy"].methods["sum"]
elastic_inverse = _row("elastic_inverse", "recursion")
elastic_inverse_by_partition = _row("elastic_inverse", "partition")
elastic_base_inverse = _row("elastic_base_inverse", "recursion")
elastic_base_by_partition = _row("elastic_base_inverse", "partition")
moving_base_inverse = _row("moving_base_inverse", "composite")
moving_base_by_recursion = _row("moving_base_inverse", "recursion")
moving_base_by_partition = _row("moving_base_inverse", "partition")
moving_base_by_articulated_bodies = _row("moving_base_inverse", "articulated_body")
moving_base_direct = _row("moving_base_direct", "articulated_body")
moving_base_direct_by_partition = _row("moving_base_direct", "partition")
prescribed_base_inverse = _row("prescribed_base_inverse", "virtual_link")
prescribed_base_from_start = _row("prescribed_base_inverse", "initial_conditions")
cartesian_mass = QUANTITIES["cartesian_mass"].methods["kane"]
cartesian_bias = QUANTITIES["cartesian_bias"].methods["kane"]


def base_acceleration(m, q, qd, qdd_joints, wrenches=None, convention="classical"):
    run = QUANTITIES["base_acceleration"].methods["composite"]
    return run(m, q, qd, qdd_joints, wrenches=wrenches_of(wrenches), convention=convention)


# -- Kane's method -----------------------------------------------------------------------------


def _driven(run):
    def model(m, q, alpha, angles, rates, tau, traction, drives="inertia", wrenches=None):
        r = kane_.reduction(m, q, alpha, angles, rates)
        acting = kane_.Acting(tau, traction, JointForces(m, drives), wrenches_of(wrenches) or {})
        return run(m, r, acting)

    return model


state_model = _driven(kane_.state_model)
constraint_forces = _driven(kane_.constraint_forces)
multipliers = _driven(lagrange_.multipliers)


def D_and_C(m, q, r, drives="inertia"):
    forces = JointForces(m, drives)
    return kane_.D(m, r, forces), kane_.C(m, r, forces)


def J_and_rate(m, q, r):
    return kane_.J_and_rate(m, r)


# -- closed loops ------------------------------------------------------------------------------


def _closed(module, name):
    from dalembert.catalog.loops import of_closed

    algorithm = getattr(module, name)

    def model(m, plan, q, *inputs, inverse=None, **options):
        if "wrenches" in options:
            options["wrenches"] = wrenches_of(options["wrenches"])
        run = of_closed(algorithm, inverse) if inverse else of_closed(algorithm)
        return run(m, plan, q, *inputs, **options)

    return model


def _of_closure(name):
    from dalembert.algorithms import closed_kinematics
    from dalembert.catalog.loops import _closed as as_called

    return as_called(getattr(closed_kinematics, name))


def tree_motion(m, plan, q, qd, qdd):
    """Return (qd, qdd, checks) of the whole tree."""
    return _of_closure("tree_motion")(m, plan, q, qd, qdd)


def assembly(m, plan, q, steps):
    """Return (q, checks) after Newton's steps."""
    return _of_closure("assembly")(m, plan, q, steps=steps)


def active_map(m, plan, q):
    """Return (G, checks)."""
    return _of_closure("active_map")(m, plan, q)


def __getattr__(name):
    from dalembert.algorithms import closed_derivatives, closed_loop, closed_wrenches

    for module in (closed_loop, closed_wrenches, closed_derivatives):
        if name in vars(module) and not name.startswith("_"):
            return _closed(module, name)
    raise AttributeError(name)
