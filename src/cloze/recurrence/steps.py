"""The two passes of the CPU recurrence over a set of rows: plain loops that numba makes fast.

A row is one sequence in one direction. Rows are independent, so a thread takes its own through all
steps without waiting. They are given longest first: the ones still running at a step are the first
few. Everything here is in one file because numba's cache checks only one file.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable

# Multiplications and additions may fuse, and division by zero gives infinity, but nothing else:
# a NaN must stay a NaN.
FLAGS: dict[str, Any] = {"fastmath": {"contract"}, "error_model": "numpy"}

_f4, _i4 = np.float32, np.int32
_ONE, _TWO, _FAR = _f4(1), _f4(2), _f4(87)
_LOG2_E = _f4(1 / math.log(2))
_LN_2_HIGH = _f4(0.693359375)  # few bits, so that n times it is exact
_LN_2_LOW = _f4(math.log(2) - 0.693359375)
_ROUND = _f4(3 << 22)  # added to a small number, leaves the nearest integer in the low bits
_ROUND_BITS = _i4(_ROUND.view(_i4) - 127)
_C2, _C3, _C4, _C5, _C6, _C7 = (_f4(1 / math.factorial(k)) for k in range(2, 8))


def sigmoid(x: Any) -> Any:
    """Made by numba below, for each type."""
    return 1 / (1 + math.exp(-x))


def tanh(x: Any) -> Any:
    """Made by numba below, for each type."""
    return math.tanh(x)


def power_of_e(x: Any) -> Any:
    """s and p with e^x = s (1 + p), where s is a power of two and p is small and very exact."""
    return 1.0, math.expm1(x)


@overload(power_of_e)
def _power_of_e(x: Any) -> Callable[..., Any]:
    def branchless(x: Any) -> Any:  # unlike the library's, so that it runs on whole vectors
        x = _FAR if x > _FAR else x
        x = -_FAR if x < -_FAR else x
        shifted = _f4(x * _LOG2_E + _ROUND)
        n = shifted - _ROUND
        r = x - n * _LN_2_HIGH - n * _LN_2_LOW  # |r| <= ln(2) / 2
        p = r * (_ONE + r * (_C2 + r * (_C3 + r * (_C4 + r * (_C5 + r * (_C6 + r * _C7))))))
        s = _i4((shifted.view(_i4) - _ROUND_BITS) << _i4(23)).view(_f4)
        return s, p

    return branchless


@overload(sigmoid)
def _sigmoid(x: Any) -> Callable[..., Any]:
    def single(x: Any) -> Any:
        s, p = power_of_e(-x)
        return _ONE / (_ONE + (s + s * p))

    def double(x: Any) -> Any:
        return 1.0 / (1.0 + math.exp(-x))

    return single if x == types.float32 else double


@overload(tanh)
def _tanh(x: Any) -> Callable[..., Any]:
    def single(x: Any) -> Any:
        s, p = power_of_e(x + x)
        e = s * p + (s - _ONE)  # e^2x - 1, exact near zero too
        return e / (e + _TWO)

    def double(x: Any) -> Any:
        return math.tanh(x)

    return single if x == types.float32 else double


@register_jitable
def add_product(o: Any, a: Any, W: Any) -> None:
    """o += a W. Four rows of W at a time, so that o is rarely fetched and stored."""
    whole = W.shape[0] // 4 * 4
    for k in range(0, whole, 4):
        w0, w1, w2, w3 = W[k], W[k + 1], W[k + 2], W[k + 3]
        a0, a1, a2, a3 = a[k], a[k + 1], a[k + 2], a[k + 3]
        for j in range(o.shape[0]):
            o[j] += a0 * w0[j] + a1 * w1[j] + a2 * w2[j] + a3 * w3[j]
    for k in range(whole, W.shape[0]):
        for j in range(o.shape[0]):
            o[j] += a[k] * W[k, j]


@register_jitable
def add_four_products(
    o: Any, p: Any, q: Any, r: Any, a: Any, b: Any, c: Any, d: Any, W: Any
) -> None:
    """o += a W, p += b W, q += c W, r += d W: W is fetched once for the four."""
    whole = W.shape[0] // 4 * 4
    for k in range(0, whole, 4):
        w0, w1, w2, w3 = W[k], W[k + 1], W[k + 2], W[k + 3]
        a0, a1, a2, a3 = a[k], a[k + 1], a[k + 2], a[k + 3]
        b0, b1, b2, b3 = b[k], b[k + 1], b[k + 2], b[k + 3]
        c0, c1, c2, c3 = c[k], c[k + 1], c[k + 2], c[k + 3]
        d0, d1, d2, d3 = d[k], d[k + 1], d[k + 2], d[k + 3]
        for j in range(o.shape[0]):
            x0, x1, x2, x3 = w0[j], w1[j], w2[j], w3[j]
            o[j] += a0 * x0 + a1 * x1 + a2 * x2 + a3 * x3
            p[j] += b0 * x0 + b1 * x1 + b2 * x2 + b3 * x3
            q[j] += c0 * x0 + c1 * x1 + c2 * x2 + c3 * x3
            r[j] += d0 * x0 + d1 * x1 + d2 * x2 + d3 * x3
    for k in range(whole, W.shape[0]):
        for j in range(o.shape[0]):
            o[j] += a[k] * W[k, j]
            p[j] += b[k] * W[k, j]
            q[j] += c[k] * W[k, j]
            r[j] += d[k] * W[k, j]


@register_jitable
def add_products(
    out: Any, to: Any, start: int, left: Any, of: Any, begin: int, W: Any, rows: int
) -> None:
    """out[to[r], start:] += left[of[r], begin:] W for every r < rows, as far as W is wide."""
    stop, end = start + W.shape[1], begin + W.shape[0]
    whole = rows // 4 * 4
    for r in range(0, whole, 4):
        add_four_products(
            out[to[r], start:stop],
            out[to[r + 1], start:stop],
            out[to[r + 2], start:stop],
            out[to[r + 3], start:stop],
            left[of[r], begin:end],
            left[of[r + 1], begin:end],
            left[of[r + 2], begin:end],
            left[of[r + 3], begin:end],
            W,
        )
    for r in range(whole, rows):
        add_product(out[to[r], start:stop], left[of[r], begin:end], W)


@register_jitable
def step(gates: Any, c: Any, h: Any, w: Any) -> None:
    """A row's gates from their inputs, its cell and its output."""
    H = len(c)
    i, f, g, o = gates[:H], gates[H : 2 * H], gates[2 * H : 3 * H], gates[3 * H :]
    w_ci, w_cf, w_co = w[0], w[1], w[2]
    for j in range(H):
        i[j] = sigmoid(i[j] + w_ci[j] * c[j])
        f[j] = sigmoid(f[j] + w_cf[j] * c[j])
        g[j] = tanh(g[j])
        c[j] = f[j] * c[j] + i[j] * g[j]
        o[j] = sigmoid(o[j] + w_co[j] * c[j])
        h[j] = o[j] * tanh(c[j])


def forward(
    projected: Any,  # [T * B * D, 4H]
    gates: Any,  # the same, or for each of the rows given here if they are not kept
    cells: Any,  # [T * B * D, H], or nothing
    hidden: Any,  # [T * B * D, H]
    W: Any,  # [G, H, 4H / G], W_h of this direction, transposed, in parts that fit in a cache
    w: Any,  # [3, H]
    first: Any,  # [R], where each row's first token is in the [T * B * D, ...]
    lengths: Any,  # [R], falling
    stride: int,  # from token to token
    reverse: bool,
    in_place: bool,  # the gates are the projected inputs' own memory
) -> None:
    G, H, part = W.shape
    R = len(first)
    c = np.zeros((R, H), W.dtype)
    now, before, kept = np.empty(R, np.int64), np.empty(R, np.int64), np.empty(R, np.int64)
    keep = cells.shape[0] > 0
    for r in range(R):
        for t in range(lengths[r], hidden.shape[0] // stride):
            hidden[first[r] + t * stride] = 0
    active = R
    for s in range(lengths[0]):
        while lengths[active - 1] <= s:
            active -= 1
        for r in range(active):
            before[r] = now[r]
            now[r] = first[r] + stride * (lengths[r] - 1 - s if reverse else s)
            kept[r] = now[r] if keep or in_place else r
            if not in_place:
                gates[kept[r]] = projected[now[r]]
        if s > 0:
            for k in range(G):
                add_products(gates, kept, k * part, hidden, before, 0, W[k], active)
        for r in range(active):
            step(gates[kept[r]], c[r], hidden[now[r]], w)
            if keep:
                cells[now[r]] = c[r]


@register_jitable
def step_back(gates: Any, c: Any, c_before: Any, dh: Any, dc: Any, w: Any) -> None:
    """A row's gates become the gradients of their inputs; dc passes to the step before."""
    H = len(c)
    i, f, g, o = gates[:H], gates[H : 2 * H], gates[2 * H : 3 * H], gates[3 * H :]
    w_ci, w_cf, w_co = w[0], w[1], w[2]
    for j in range(H):
        t = tanh(c[j])
        d_o = dh[j] * t * (o[j] - o[j] * o[j])
        d_c = dc[j] + dh[j] * (o[j] - o[j] * t * t) + d_o * w_co[j]
        d_i = d_c * g[j] * (i[j] - i[j] * i[j])
        d_f = d_c * c_before[j] * (f[j] - f[j] * f[j])
        d_g = d_c * (i[j] - i[j] * g[j] * g[j])
        dc[j] = d_c * f[j] + d_i * w_ci[j] + d_f * w_cf[j]
        i[j], f[j], g[j], o[j] = d_i, d_f, d_g, d_o


@register_jitable
def add_to_sums(sums: Any, gates: Any, c: Any, c_before: Any) -> None:
    """The row's share in the gradients of the bias [4H] and of the peepholes [3H]."""
    H = len(c)
    for j in range(4 * H):
        sums[j] += gates[j]
    d_i, d_f, d_o = gates[:H], gates[H : 2 * H], gates[3 * H :]
    d_w_ci, d_w_cf, d_w_co = sums[4 * H : 5 * H], sums[5 * H : 6 * H], sums[6 * H :]
    for j in range(H):
        d_w_ci[j] += d_i[j] * c_before[j]
        d_w_cf[j] += d_f[j] * c_before[j]
        d_w_co[j] += d_o[j] * c[j]


def backward(
    grad_hidden: Any,  # [T * B * D, H]
    gates: Any,  # [T * B * D, 4H], become their gradients
    cells: Any,  # [T * B * D, H]
    W: Any,  # [G, 4H / G, H], W_h of this direction
    w: Any,
    first: Any,
    lengths: Any,
    stride: int,
    reverse: bool,
    totals: Any,  # [7H], float64: gradients of the bias and the peepholes
) -> None:
    G, part, H = W.shape
    R = len(first)
    dh, dc = np.empty((R, H), W.dtype), np.zeros((R, H), W.dtype)
    none, sums = np.zeros(H, W.dtype), np.empty(7 * H, W.dtype)
    now, after, own = np.empty(R, np.int64), np.empty(R, np.int64), np.arange(R)
    towards = stride if reverse else -stride
    for r in range(R):
        for t in range(lengths[r], gates.shape[0] // stride):
            gates[first[r] + t * stride] = 0
    active = 0
    for s in range(lengths[0] - 1, -1, -1):
        later = active
        while active < R and lengths[active] > s:
            active += 1
        for r in range(active):
            after[r] = now[r]
            now[r] = first[r] + stride * (lengths[r] - 1 - s if reverse else s)
            dh[r] = grad_hidden[now[r]]
        for k in range(G):
            add_products(dh, own, 0, gates, after, k * part, W[k], later)
        sums[:] = 0
        for r in range(active):
            c_before = cells[now[r] + towards] if s > 0 else none
            step_back(gates[now[r]], cells[now[r]], c_before, dh[r], dc[r], w)
            add_to_sums(sums, gates[now[r]], cells[now[r]], c_before)
        for j in range(7 * H):
            totals[j] += sums[j]
