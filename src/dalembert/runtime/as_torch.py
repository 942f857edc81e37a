"""Kernels as functions of PyTorch tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .autodiff import Flat, framework
from .kernel import Kernel


def as_torch(kernel: Kernel) -> Callable[..., Any]:
    """Return f(*inputs, parameters=None) over tensors."""
    flat, torch = Flat.of(kernel), framework("torch")

    def arrays(given: list[Any]) -> list[Any]:
        kinds = [(x.dtype, x.device) for x in given if isinstance(x, torch.Tensor)]
        dtype, device = kinds[0] if kinds else (torch.float64, None)
        return [torch.as_tensor(x, dtype=dtype, device=device) for x in given]

    return flat.function(_core(flat).apply, arrays, "PyTorch tensors")


def _core(flat: Flat) -> Any:
    """Return the autograd function of arguments with equally many leading dimensions."""
    import torch

    kept: dict[tuple[str, ...], Any] = {}

    def run(rows: Any) -> tuple[Any, ...]:
        kind, place = rows[0].dtype, rows[0].device
        # tensors of the processor lend their memory, and take that of the results
        arrays = [x.detach().cpu().numpy() for x in rows]
        made = flat.run(arrays, arrays[0].dtype)
        return tuple(torch.from_numpy(x).to(place, kind) for x in made)

    def derived(rows: Any, live: list[int]) -> tuple[tuple[str, ...], Any, int]:
        names = tuple(flat.names[k] for k in live)
        more, own = flat.derived(names)
        if names not in kept:
            kept[names] = _core(more)
        return names, kept[names].apply(*rows), own

    class Function(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(*rows: Any) -> Any:
            return run(rows)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def jvp(ctx: Any, *rates: Any) -> Any:
            live = [k for k, rate in enumerate(rates) if rate is not None]
            names, made, own = derived(ctx.saved_tensors, live)
            moved = flat.moved(torch, made, names, [rates[k] for k in live])
            checks = made[len(made) - (len(flat.results) - own) :]
            return (*moved, *(torch.zeros_like(x) for x in checks))

        @staticmethod
        def backward(ctx: Any, *bars: Any) -> Any:
            rows = ctx.saved_tensors
            live = [k for k, need in enumerate(ctx.needs_input_grad) if need]
            out: list[Any] = [None] * len(rows)
            if not live:
                return tuple(out)
            _, made, own = derived(rows, live)
            for n, k in enumerate(live):
                some = [made[own * (n + 1) + r] for r in range(own)]
                out[k] = _pulled(flat, some, bars[:own], rows[k], flat.shapes[k])
            return tuple(out)

        @staticmethod
        def vmap(info: Any, in_dims: Any, *rows: Any) -> Any:
            moved = [x[None] if d is None else x.movedim(d, 0)
                     for x, d in zip(rows, in_dims, strict=True)]  # fmt: skip
            made = Function.apply(*moved)
            return made, (0,) * len(made)

    return Function


def _pulled(flat: Flat, slopes: Any, bars: Any, row: Any, tail: tuple[int, ...]) -> Any:
    """Return Σ (∂result/∂row)ᵀ bar, summed over dimensions along which the row was broadcast."""
    total: Any = 0
    for J, bar, shape in zip(slopes, bars, flat.results, strict=False):
        lead = J.shape[: J.ndim - len(shape) - (1 if tail else 0)]
        outs = bar[(...,) + (None,) * (1 if tail else 0)] * J
        axes = tuple(range(len(lead), len(lead) + len(shape)))
        total = total + (outs.sum(axes) if axes else outs)
    whole = (*total.shape[: len(total.shape) - (1 if tail else 0)], *tail)
    return total.reshape(whole).sum_to_size(row.shape)
