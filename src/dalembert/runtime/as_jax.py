"""Kernels as functions of JAX arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .autodiff import Flat, framework
from .kernel import Kernel


def as_jax(kernel: Kernel) -> Callable[..., Any]:
    """Return f(*inputs, parameters=None) over JAX arrays."""
    flat, jnp = Flat.of(kernel), framework("jax").numpy

    def arrays(given: list[Any]) -> list[Any]:
        return [jnp.asarray(x, jnp.result_type(float)) for x in given]

    return flat.function(_core(flat), arrays, "JAX arrays")


def _core(flat: Flat) -> Any:
    """Return the function of arguments with equally many leading dimensions; a tuple of results."""
    import jax
    import jax.numpy as jnp

    def call(*rows: Any) -> tuple[Any, ...]:
        real = rows[0].dtype
        tails = zip(rows, flat.shapes, strict=True)
        lead = np.broadcast_shapes(*(x.shape[: x.ndim - len(own)] for x, own in tails))
        shapes = tuple(jax.ShapeDtypeStruct((*lead, *own), real) for own in flat.results)

        def host(*arrays: Any) -> tuple[np.ndarray, ...]:
            return flat.run([np.asarray(x) for x in arrays], real)

        made: tuple[Any, ...] = jax.pure_callback(host, shapes, *rows, vmap_method="expand_dims")
        return made

    function = jax.custom_jvp(call)
    kept: dict[tuple[str, ...], Any] = {}

    def rule(rows: Any, rates: Any) -> Any:
        still = jax.custom_derivatives.SymbolicZero
        live = [k for k, rate in enumerate(rates) if not isinstance(rate, still)]
        names = tuple(flat.names[k] for k in live)
        if not live:
            made = function(*rows)
            return made, tuple(jnp.zeros_like(x) for x in made)
        more, own = flat.derived(names)
        if names not in kept:
            kept[names] = _core(more)
        made = kept[names](*rows)
        moved = flat.moved(jnp, made, names, [rates[k] for k in live])
        checks = made[len(made) - (len(flat.results) - own) :]
        results = (*made[:own], *checks)
        return results, (*moved, *(jnp.zeros_like(x) for x in checks))

    function.defjvp(rule, symbolic_zeros=True)
    return function
