"""What a driver is called with: a record in memory and the arrays it points to."""

from __future__ import annotations

from typing import Any

import numpy as np

from .code import LANES, Record
from .kernel import Kernel
from .native import address, scratch
from .signal import Signal


class Task:
    """A record in memory, with the arrays its fields point to kept alive."""

    def __init__(self, record: Record):
        self.record = record
        self.words, self.start = scratch(record.size + 64)
        offset = self.start - address(self.words)
        whole = self.words[offset : offset + record.size]
        whole[:] = 0
        self.integers, self.reals = whole.view(np.int64), whole.view(np.float64)
        self.kept: dict[str, Any] = {}
        # field -> a kernel of which better code may come, and how its entry is called
        self.quick: dict[str, tuple[Kernel, str]] = {}

    def __getitem__(self, name: str) -> Any:
        k = self.record.offset[name] // 8
        return (self.reals if self.record.kind[name] == "double" else self.integers)[k]

    def __setitem__(self, name: str, value: Any) -> None:
        k = self.record.offset[name] // 8
        if isinstance(value, np.ndarray):
            self.kept[name] = value
            value = address(value)
        (self.reals if self.record.kind[name] == "double" else self.integers)[k] = value

    def entry(self, name: str, k: int, value: Any) -> None:
        """Set word k of a longer field."""
        if isinstance(value, np.ndarray):
            self.kept[f"{name}{k}"] = value
            value = address(value)
        self.integers[self.record.offset[name] // 8 + k] = value

    def where(self, name: str) -> int:
        """Return the address of a field."""
        return self.start + self.record.offset[name]

    def buffer(self, name: str, size: int) -> np.ndarray:
        """Return a new row of zeros that a field points to, rounded up to whole vectors."""
        made = np.zeros(-(-max(size, 1) // LANES) * LANES)
        self[name] = made
        return made

    def kernel(self, name: str, kernel: Kernel | None, entry: str) -> None:
        """Point to a kernel's entry (`one` or `batch`) and give it scratch of its own."""
        if kernel is None:
            return
        memory, start = scratch(getattr(kernel.card, f"scratch_{entry}"))
        self.kept[f"{name}_memory"], self.kept[f"{name}_kernel"] = memory, kernel
        self.quick.pop(name, None)
        if isinstance(kernel, Kernel) and (kernel.better or kernel.later):
            self.quick[name] = kernel, f"{entry}_address"
        self[name] = getattr(kernel.code, f"{entry}_address")
        self[f"{name}_scratch"] = start

    def ran(self, seconds: float) -> None:
        """Note how long the driver ran; better code of a kernel is taken when it is there."""
        for name, (kernel, entry) in self.quick.items():
            kernel.ran(seconds)
            self[name] = getattr(kernel.code, entry)

    def signal(self, signal: Signal | None, size: int) -> None:
        """Point to the pieces of a signal."""
        u = self.buffer("u", size)
        self.entry("ins", 2, u)
        if signal is not None:
            self["nu"], self["pieces"] = signal.size, len(signal.coefficients)
            self["terms"] = signal.coefficients.shape[2]
            self["breaks"], self["coefficients"] = signal.breaks, signal.coefficients
