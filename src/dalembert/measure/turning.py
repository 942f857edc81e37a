"""Rates of sampled rotations: unit quaternions (x, y, z, w), angular velocity in child axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import DescriptionError, shown

Array = np.ndarray


def is_quaternion(joint: Any) -> bool:
    """Return whether a joint has a quaternion among its coordinates."""
    return bool(joint.nq != joint.nv)


def same_sign(y: Array, name: str) -> Array:
    """Return samples whose quaternion, the last four columns, never jumps in sign."""
    out = y.copy()
    seen = np.flatnonzero(np.isfinite(y).all(axis=1))
    u = out[seen, -4:]
    size = np.linalg.norm(u, axis=1)
    if len(size) and (np.abs(size - 1) > 0.01).any():
        k = int(np.argmax(np.abs(size - 1)))
        raise DescriptionError(
            f"the quaternion of {shown(name)!r} has length {size[k]:.4g} at sample {seen[k] + 1}",
            hint="qx, qy, qz, qw of a unit quaternion are needed",
        )
    u = u / size[:, None]
    turns = np.where((u[1:] * u[:-1]).sum(axis=1) < 0, -1.0, 1.0)
    u[1:] *= np.cumprod(turns)[:, None]
    out[seen, -4:] = u
    return out


def times(a: Array, b: Array) -> Array:
    """Return the products of quaternions."""
    v = np.cross(a[..., :3], b[..., :3]) + a[..., 3:] * b[..., :3] + b[..., 3:] * a[..., :3]
    w = a[..., 3] * b[..., 3] - (a[..., :3] * b[..., :3]).sum(axis=-1)
    return np.concatenate([v, w[..., None]], axis=-1)


def conjugate(u: Array) -> Array:
    """Return the inverse rotations."""
    return u * np.array([-1.0, -1.0, -1.0, 1.0])


def quaternion_rates(p: Array, pd: Array, pdd: Array) -> tuple[Array, Array, Array]:
    """Return unit quaternions, ω and ω̇ of a path p(t) in four numbers that need not be units.

    With u = p/|p|, ω = 2 Im(u* u̇) = 2 Im(p* ṗ) / |p|², and its rate follows by the chain rule.
    """
    square = (p * p).sum(axis=-1, keepdims=True)
    first, second = times(conjugate(p), pd)[..., :3], times(conjugate(p), pdd)[..., :3]
    w = 2 * first / square
    wd = 2 * second / square - w * (2 * (p * pd).sum(axis=-1, keepdims=True) / square)
    return p / np.sqrt(square), w, wd


def rotated(u: Array, v: Array) -> Array:
    """Return vectors turned by quaternions."""
    pure = np.concatenate([v, np.zeros((*v.shape[:-1], 1))], axis=-1)
    return times(times(u, pure), conjugate(u))[..., :3]


def free_rates(x: Array, xd: Array, xdd: Array) -> tuple[Array, Array, Array]:
    """Return q, q̇, q̈ of a free joint: twist of the child origin in child axes, and its rate."""
    u, w, wd = quaternion_rates(x[:, 3:], xd[:, 3:], xdd[:, 3:])
    back = conjugate(u)
    v = rotated(back, xd[:, :3])
    vd = rotated(back, xdd[:, :3]) - np.cross(w, v)
    return (
        np.concatenate([x[:, :3], u], axis=1),
        np.concatenate([v, w], axis=1),
        np.concatenate([vd, wd], axis=1),
    )
