"""The two entry points of the recurrence, and the choice of implementation."""

import functools
import warnings
from collections.abc import Iterator
from types import ModuleType

import torch
from torch import Tensor

from cloze.recurrence import cpu, hopper, portable, reference
from cloze.recurrence.fused import FusedRecurrence
from cloze.recurrence.gradients import ProjectedRecurrence, Recurrence
from cloze.recurrence.plan import FEW_UNITS
from cloze.recurrence.shares import busy
from cloze.recurrence.widening import widen

IMPLEMENTATIONS = ("auto", "reference", "cpu", "hopper", "portable")
# The fast ones for each kind of device, the fastest first.
FAST: dict[str, dict[str, ModuleType]] = {
    "cpu": {"cpu": cpu},
    "cuda": {"hopper": hopper, "portable": portable},
}


def peephole_lstm(
    projected: Tensor,
    recurrent: Tensor,
    peepholes: Tensor,
    lengths: Tensor,
    *,
    implementation: str = "auto",
    reverse: tuple[bool, ...] = (False, True),
) -> Tensor:
    """h of every token, [T, B, D, H]; zero at padding.

    projected: [T, B, D, 4H], the inputs' share of the gates, bias included, gates i, f, c, o.
    recurrent: [D, 4H, H], W_h.   peepholes: [D, 3, H], w_ci, w_cf, w_co.
    lengths: [B], from 1 to T. What is at t >= length is never read and gets no gradient.
    reverse: for each direction, whether it runs from a sequence's last token to its first;
    its outputs are still at the positions of their tokens.
    """
    _check(projected, recurrent, peepholes, lengths, reverse)
    passes = _passes(implementation, projected, recurrent)
    if passes is None:
        return reference.peephole_lstm(projected, recurrent, peepholes, lengths, reverse)
    H = recurrent.shape[2]
    size = passes.padded_size(H, projected.device)
    if size != H:
        projected, recurrent, peepholes = widen(projected, recurrent, peepholes, size)
    keep = _recording(projected, recurrent, peepholes)
    hidden: Tensor = Recurrence.apply(  # type: ignore[no-untyped-call]
        projected, recurrent, peepholes, lengths.to(projected.device), reverse, passes, keep
    )
    return hidden if size == H else hidden[..., :H]


def peephole_lstm_of_inputs(
    x: Tensor,
    W_x: Tensor,
    bias: Tensor,
    recurrent: Tensor,
    peepholes: Tensor,
    lengths: Tensor,
    *,
    implementation: str = "auto",
    reverse: tuple[bool, ...] = (False, True),
) -> Tensor:
    """The same from x [T, B, I], with p = W_x x + b, in less memory. W_x: [D * 4H, I]."""
    D, gate_rows, H = recurrent.shape
    passes = _passes(implementation, x, recurrent)
    if passes is None or passes.padded_size(H, x.device) != H:
        projected = torch.addmm(bias, x.flatten(0, 1), W_x.T).view(*x.shape[:2], D, gate_rows)
        return peephole_lstm(
            projected,
            recurrent,
            peepholes,
            lengths,
            implementation=implementation,
            reverse=reverse,
        )
    _check_lengths(lengths, *x.shape[:2])
    keep = _recording(x, W_x, bias, recurrent, peepholes)
    hidden: Tensor
    inputs = (x, W_x, bias, recurrent, peepholes, lengths.to(x.device), reverse)
    # To wake idle threads only for the projection costs about what half of them would save.
    if passes is cpu and busy(x.shape[1], D) >= 0.5:
        hidden = FusedRecurrence.apply(*inputs, keep)  # type: ignore[no-untyped-call]
    else:
        hidden = ProjectedRecurrence.apply(*inputs, passes, keep)  # type: ignore[no-untyped-call]
    return hidden


def _passes(implementation: str, inputs: Tensor, recurrent: Tensor) -> ModuleType | None:
    """The module that computes the two passes; None for the reference."""
    if implementation not in IMPLEMENTATIONS:
        raise ValueError(f"implementation is {implementation!r}, not one of {IMPLEMENTATIONS}")
    if implementation == "reference" or inputs.shape[1] == 0:  # no sequences, nothing to launch
        return None
    here = inputs.device.type
    fast = FAST.get(here, {})
    if implementation != "auto" and implementation not in fast:
        raise ValueError(f"the {implementation} recurrence cannot run on tensors on {here}")
    reasons = []
    tried = (
        fastest_first(inputs, recurrent.shape[2]) if implementation == "auto" else (implementation,)
    )
    for name in tried:
        reason = why_not(name, inputs.device, recurrent.shape[2], inputs.dtype)
        if reason is None:
            return fast[name]
        if implementation != "auto":
            raise RuntimeError(f"the {name} recurrence cannot run here: {reason}")
        reasons.append(f"{name}: {reason}")
    reasons = reasons or [f"there is none for {here}"]
    warn_once(f"slower recurrence: the fast ones cannot run here ({'; '.join(reasons)})")
    return None


def fastest_first(inputs: Tensor, hidden: int) -> tuple[str, ...]:
    """The fast implementations for inputs [T, B, ...]. The portable one is the faster where layers
    are very small, or where they and the batches are large: it multiplies in bfloat16, and the
    largest by cuBLAS (docs/performance.md)."""
    names = tuple(FAST.get(inputs.device.type, {}))
    halves = inputs.dtype == torch.bfloat16
    small = hidden <= FEW_UNITS and not halves
    large = hidden > 128 and inputs.shape[1] >= (256 if halves else 1024)
    return names[::-1] if small or large else names


def choices(
    device: torch.device, hidden: int, dtype: torch.dtype
) -> Iterator[tuple[str, str | None]]:
    """The fast implementations for a device, the fastest first, and why each cannot run, if so."""
    for name in FAST.get(device.type, {}):
        yield name, why_not(name, device, hidden, dtype)


def why_not(name: str, device: torch.device, hidden: int, dtype: torch.dtype) -> str | None:
    """Why one of the fast implementations cannot run on a device, if so."""
    passes = FAST.get(device.type, {}).get(name)
    if passes is None:
        return f"it does not run on {device.type}"
    reason: str | None = passes.why_not(device, hidden, dtype)
    return reason


@functools.cache
def warn_once(message: str) -> None:
    warnings.warn(message, stacklevel=2)


def _recording(*tensors: Tensor) -> bool:
    return torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors)


def _check(
    projected: Tensor,
    recurrent: Tensor,
    peepholes: Tensor,
    lengths: Tensor,
    reverse: tuple[bool, ...],
) -> None:
    T, B, D, gate_rows = projected.shape
    H = recurrent.shape[2]
    if gate_rows != 4 * H or recurrent.shape != (D, 4 * H, H) or peepholes.shape != (D, 3, H):
        raise ValueError(
            f"shapes do not fit together: projected {tuple(projected.shape)}, "
            f"recurrent {tuple(recurrent.shape)}, peepholes {tuple(peepholes.shape)}"
        )
    if len(reverse) < D:
        raise ValueError(f"reverse has {len(reverse)} entries for {D} directions")
    _check_lengths(lengths, T, B)


def _check_lengths(lengths: Tensor, T: int, B: int) -> None:
    if lengths.shape != (B,):
        raise ValueError(f"lengths has shape {tuple(lengths.shape)}, not ({B},)")
    # On a GPU, reading the values would stall the queue, so the kernel clamps them instead.
    if lengths.device.type != "cpu":
        return
    least, most = torch.aminmax(lengths) if B else (1, T)
    if least < 1 or most > T:
        raise ValueError(f"every length must be from 1 to {T}: {lengths.tolist()}")
