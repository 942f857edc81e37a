"""Rotations as axis times angle, of one or of many: R = exp([v]ₓ), by Rodrigues, and back."""

from __future__ import annotations

import numpy as np

from ..mechanism import Mechanism

Array = np.ndarray
HALF = 1e-9  # a turn with a smaller sine is half a turn: its axis is read off R + 1


def cross_matrix(v: Array) -> Array:
    """Return the matrix [v]ₓ of a cross product: [v]ₓ a = v × a."""
    x, y, z = v
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def rotation_by(v: Array) -> Array:
    """Return the rotation about a vector; its length is the angle."""
    angle, K = float(np.linalg.norm(v)), cross_matrix(v)
    if angle < 1e-12:
        return np.eye(3) + K
    return np.eye(3) + np.sin(angle) / angle * K + (1 - np.cos(angle)) / angle**2 * (K @ K)


def turn_of(R: Array) -> Array:
    """Return axis times angle of rotations (..., 3, 3), the angle from 0 to π."""
    v = np.stack([R[..., i, k] - R[..., k, i] for i, k in ((2, 1), (0, 2), (1, 0))], axis=-1) / 2
    sine, cosine = np.linalg.norm(v, axis=-1), (np.trace(R, axis1=-2, axis2=-1) - 1) / 2
    size = np.where(sine > 1e-12, np.arctan2(sine, cosine) / np.maximum(sine, 1e-300), 1.0)
    half = (sine < HALF) & (cosine < 0)
    # the largest column of R + 1 is along the axis of half a turn
    columns = R + np.eye(3)
    largest = np.diagonal(columns, axis1=-2, axis2=-1).argmax(axis=-1)
    axis = np.take_along_axis(columns, largest[..., None, None], axis=-1)[..., 0]
    axis = np.pi * axis / np.linalg.norm(axis, axis=-1, keepdims=True)
    return np.where(half[..., None], axis, v * size[..., None])


def pose_error(now: Array, wanted: Array) -> Array:
    """Return (position, axis times angle) in base axes from poses (..., 4, 4) to others."""
    R = wanted[..., :3, :3] @ np.swapaxes(now[..., :3, :3], -1, -2)
    return np.concatenate([wanted[..., :3, 3] - now[..., :3, 3], turn_of(R)], axis=-1)


def tangents_turning(m: Mechanism, qd: Array) -> Array:
    """Return -ad of the velocities of quaternion joints: tangents are seen from turning axes."""
    out = np.zeros((m.nv, m.nv))
    for j, body in enumerate(m.bodies):
        k = m.velocity_index[j]
        if body.joint.kind == "spherical":
            out[k : k + 3, k : k + 3] = -cross_matrix(qd[k : k + 3])
        elif body.joint.kind == "free":
            v, w = cross_matrix(qd[k : k + 3]), cross_matrix(qd[k + 3 : k + 6])
            out[k : k + 3, k : k + 3] = out[k + 3 : k + 6, k + 3 : k + 6] = -w
            out[k : k + 3, k + 3 : k + 6] = -v
    return out
