# [about]

import jax.numpy as jnp


def _shaped(x, shape):
    """Return entries as one array, states first."""
    x = jnp.stack(jnp.broadcast_arrays(*map(jnp.asarray, x)), -1) if x else jnp.zeros(0)
    return x.reshape(x.shape[:-1] + tuple(shape))


def _vector(x, shape):
    """Return the entries of an input (..., *shape), one array of states each."""
    x = jnp.asarray(x)
    if x.shape[x.ndim - len(shape) :] != tuple(shape):
        raise ValueError(f"an array (..., {shape}) is needed, not {x.shape}")
    return jnp.moveaxis(x.reshape(x.shape[: x.ndim - len(shape)] + (-1,)), -1, 0)


# [tables]

# [functions]
