"""JAX: pure functions on arrays of states, fit for `jax.jit`, `jax.grad` and `jax.vmap`.

Numbers have the precision of the inputs; `jax.config.update("jax_enable_x64", True)` asks for
double.
"""

from __future__ import annotations

from .dialect import Dialect
from .python import language, number

JAX = Dialect({}, number, call="jnp.{}", library="numpy")
DOUBLE = 'import jax\n\njax.config.update("jax_enable_x64", True)\n\n'
LANGUAGE = language(JAX, "_jax", "jax.py", lambda v: repr(v.shape), DOUBLE, ("jax",))
