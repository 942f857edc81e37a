"""Kernels as functions of JAX arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..errors import UsageError
from .autodiff import Flat
from .kernel import Kernel


def as_jax(kernel: Kernel) -> Callable[..., Any]:
    """Return f(*inputs, parameters=None) over JAX arrays."""
    flat = Flat.of(kernel)
    try:
        import jax.numpy as jnp
    except ImportError as error:
        raise UsageError(
            "this needs jax, which is not installed", hint="pip install jax"
        ) from error
    core = _core(flat)

    def function(*inputs: Any, parameters: Mapping[str, Any] | None = None) -> Any:
        real = jnp.result_type(float)
        given = [jnp.asarray(x, real) for x in flat.arguments(inputs, parameters)]
        leads = flat.leads([x.shape for x in given])
        rows = [x.reshape((*lead, *own)) for x, lead, own in zip(given, leads, flat.shapes,
                                                                 strict=True)]  # fmt: skip
        made = core(*rows)
        return made[0] if len(made) == 1 else made

    function.__name__ = kernel.name
    function.__doc__ = f"{kernel!r} over JAX arrays."
    return function


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
