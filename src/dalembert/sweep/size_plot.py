"""Torque-speed planes: where a duty cycle lies beside what a motor can do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import shown
from ..measure.packages import optional

if TYPE_CHECKING:
    from .size import Sizing

ACROSS = 3  # panels in a row


def planes(s: Sizing, by: str) -> Any:
    """Return a figure with a panel for each joint."""
    from .size import on_shaft

    best = s.best(by)
    wide = min(ACROSS, len(best))
    high = -(-len(best) // wide)
    figure = optional("matplotlib.figure").Figure
    made = figure(figsize=(3.6 * wide + 0.4, 3.1 * high + 0.4), layout="constrained")
    panels = np.atleast_1d(made.subplots(high, wide)).ravel()
    for k, (joint, found) in enumerate(best.items()):
        panel, c = panels[k], found or s.nearest(joint)
        at = s.m.rate_names.index(joint)
        state = s.qd[:, at], s.qdd[:, at], s.tau[:, at]
        speed, torque = on_shaft(c.motor, c.gear, *state)
        pair = f"{shown(c.motor.name)}, {shown(c.gear.name)}"
        panel.set_title(f"{shown(joint)}: {pair}" if found else
                        f"{shown(joint)}: none fits, nearest {pair}", fontsize=9)  # fmt: skip
        panel.plot(np.abs(speed), np.abs(torque), ".", markersize=3, color="#4573b8",
                   label="the cycle", rasterized=True)  # fmt: skip
        top = c.motor.speed if np.isfinite(c.motor.speed) else 1.1 * float(np.abs(speed).max())
        for level, style, label in ((c.motor.continuous, "-", "continuous"),
                                    (c.motor.peak, "--", "peak")):  # fmt: skip
            if np.isfinite(level):
                panel.plot([0, top, top], [level, level, 0], style, color="0.35", linewidth=1,
                           label=label)  # fmt: skip
        panel.axhline(c.rms, color="#d97f26", linewidth=1, linestyle=":", label="RMS of the cycle")
        panel.set_xlabel("motor speed  [rad/s]", fontsize=8)
        panel.set_xlim(left=0)
        panel.set_ylim(bottom=0)
        panel.grid(True, linewidth=0.3)
    for panel in panels[len(best) :]:
        panel.set_visible(False)
    for k in range(0, len(best), wide):
        panels[k].set_ylabel("motor torque  [N m]", fontsize=8)
    made.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4,
                fontsize=8)  # fmt: skip
    return made
