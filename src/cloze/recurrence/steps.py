"""The two passes of the CPU recurrence over a set of rows: plain loops that numba makes fast.

A row is one sequence in one direction. Rows are independent, so a thread takes its own through all
steps without waiting. They are given longest first: the ones still running at a step are the first
few. Everything here is in one file because numba's cache checks only one file.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload, register_jitable

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


# A block of weights is multiplied at once: few enough rows to stay in a core's nearest cache, and
# as many columns as its vector registers can sum up for four rows of the batch.
BLOCK_ROWS = 128
_WIDE = bool(binding.get_host_cpu_features().get("avx512f", False))
_VECTORS = 4 if _WIDE else 2


def block_columns(itemsize: int) -> int:
    return _VECTORS * (64 if _WIDE else 32) // itemsize


def _add_block(
    typing: Any, count: Any, out: Any, to: Any, start: Any, left: Any, of: Any, begin: Any,
    W: Any, place: Any, K: Any,
) -> Any:  # fmt: skip
    """out[to[r], start:] += left[of[r], begin:] B for r < count, with the K rows of the block B
    at W[place:]. Sums stay in registers: written in LLVM's language, since no loop in Python
    tells it so."""
    arguments = (count, out, to, start, left, of, begin, W, place, K)
    rows = count.literal_value

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        arrays = {
            k: context.make_array(signature.args[k])(context, builder, values[k])
            for k in (1, 2, 4, 5, 7)
        }
        real = arrays[7].data.type.pointee
        lanes = block_columns(8 if isinstance(real, ir.DoubleType) else 4) // _VECTORS
        vector = ir.VectorType(real, lanes)
        align = 8 if isinstance(real, ir.DoubleType) else 4

        def row(array: int, index: int, r: int, offset: Any) -> Any:
            """A pointer to arrays[array][arrays[index][r], offset:]."""
            position = builder.load(builder.gep(arrays[index].data, [ir.IntType(64)(r)]))
            width = builder.extract_value(arrays[array].shape, 1)
            at = builder.add(builder.mul(position, width), offset)
            return builder.gep(arrays[array].data, [at])

        def part(pointer: Any, k: int) -> Any:
            moved = builder.gep(pointer, [ir.IntType(64)(k * lanes)])
            return builder.bitcast(moved, vector.as_pointer())

        outs = [row(1, 2, r, values[3]) for r in range(rows)]
        lefts = [row(4, 5, r, values[6]) for r in range(rows)]
        reserve: Any = cgutils.alloca_once
        sums = [[reserve(builder, vector) for _ in range(_VECTORS)] for _ in outs]
        for r in range(rows):
            for k in range(_VECTORS):
                builder.store(builder.load(part(outs[r], k), align=align), sums[r][k])
        with cgutils.for_range(builder, values[9], intp=ir.IntType(64)) as loop:
            first = builder.mul(loop.index, ir.IntType(64)(lanes * _VECTORS))
            block = builder.gep(arrays[7].data, [builder.add(values[8], first)])
            weights = [builder.load(part(block, k), align=align) for k in range(_VECTORS)]
            for r in range(rows):
                number = builder.load(builder.gep(lefts[r], [loop.index]))
                one = builder.insert_element(
                    ir.Constant(vector, ir.Undefined), number, ir.IntType(32)(0)
                )
                spread = builder.shuffle_vector(
                    one,
                    ir.Constant(vector, ir.Undefined),
                    ir.Constant(ir.VectorType(ir.IntType(32), lanes), [0] * lanes),
                )
                for k in range(_VECTORS):
                    product = builder.fmul(spread, weights[k], flags=("contract",))
                    total = builder.fadd(builder.load(sums[r][k]), product, flags=("contract",))
                    builder.store(total, sums[r][k])
        for r in range(rows):
            for k in range(_VECTORS):
                builder.store(builder.load(sums[r][k]), part(outs[r], k), align=align)
        return context.get_dummy_value()

    return types.void(*arguments), generate


add_block: Any = intrinsic(prefer_literal=True)(_add_block)


@register_jitable
def add_products(out: Any, to: Any, left: Any, of: Any, blocks: Any, rest: Any, rows: int) -> None:
    """out[to[r]] += left[of[r]] W for r < rows; W is in blocks, its last columns in `rest`."""
    columns = out.shape[1] - rest.shape[1]
    wide = block_width(blocks)
    many = -(-rest.shape[0] // BLOCK_ROWS)
    tall = -(-rest.shape[0] // many)
    place = 0
    for begin in range(0, rest.shape[0], tall):
        K = min(tall, rest.shape[0] - begin)
        for start in range(0, columns, wide):
            r = 0
            while r + 4 <= rows:
                add_block(4, out, to[r:], start, left, of[r:], begin, blocks, place, K)
                r += 4
            if rows - r == 3:
                add_block(3, out, to[r:], start, left, of[r:], begin, blocks, place, K)
            elif rows - r == 2:
                add_block(2, out, to[r:], start, left, of[r:], begin, blocks, place, K)
            elif rows - r == 1:
                add_block(1, out, to[r:], start, left, of[r:], begin, blocks, place, K)
            place += K * wide
    if rest.shape[1] > 0:
        for r in range(rows):
            add_product(out[to[r], columns:], left[of[r]], rest)


def block_width(blocks: Any) -> int:
    """Made by numba below, for each type."""
    return block_columns(blocks.itemsize)


@overload(block_width)
def _block_width(blocks: Any) -> Callable[..., Any]:
    width = block_columns(4 if blocks.dtype == types.float32 else 8)

    def known(blocks: Any) -> Any:
        return width

    return known


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
    W: Any,  # W_h of this direction, transposed, in blocks
    rest: Any,  # its columns beyond the last block
    w: Any,  # [3, H]
    first: Any,  # [R], where each row's first token is in the [T * B * D, ...]
    lengths: Any,  # [R], falling
    stride: int,  # from token to token
    reverse: bool,
    in_place: bool,  # the gates are the projected inputs' own memory
) -> None:
    H, R = hidden.shape[1], len(first)
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
            add_products(gates, kept, hidden, before, W, rest, active)
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
    W: Any,  # W_h of this direction, in blocks
    rest: Any,
    w: Any,
    first: Any,
    lengths: Any,
    stride: int,
    reverse: bool,
    totals: Any,  # [7H], float64: gradients of the bias and the peepholes
) -> None:
    H, R = cells.shape[1], len(first)
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
        add_products(dh, own, gates, after, W, rest, later)
        sums[:] = 0
        for r in range(active):
            c_before = cells[now[r] + towards] if s > 0 else none
            step_back(gates[now[r]], cells[now[r]], c_before, dh[r], dc[r], w)
            add_to_sums(sums, gates[now[r]], cells[now[r]], c_before)
        for j in range(7 * H):
            totals[j] += sums[j]
