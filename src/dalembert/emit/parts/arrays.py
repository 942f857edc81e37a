# [about]

import numpy as np


def _shaped(x, shape):
    """Return entries as one array, states first."""
    x = np.stack(np.broadcast_arrays(*(np.asarray(v, float) for v in x)), -1) if x else np.zeros(0)
    return x.reshape(x.shape[:-1] + tuple(shape))


def _vector(x, shape):
    """Return the entries of an input (..., *shape), one array of states each."""
    x = np.asarray(x, float)
    if x.shape[x.ndim - len(shape) :] != tuple(shape):
        raise ValueError(f"an array (..., {shape}) is needed, not {x.shape}")
    return np.moveaxis(x.reshape(x.shape[: x.ndim - len(shape)] + (-1,)), -1, 0)


# [tables]

# [functions]
