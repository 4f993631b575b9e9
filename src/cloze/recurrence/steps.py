"""The two passes of the CPU recurrence over a set of rows: plain loops that numba makes fast.

A row is one sequence in one direction. Rows are independent, so a thread takes its own through all
steps without waiting, GROUP of them at a time. They are given longest first: the ones still running
at a step are the first few. What several steps have in common, the products with their inputs, is
computed for about TOKENS tokens at once and stays in the core's cache until the steps have used it.
Everything here is in one file because numba's cache checks only one file.
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

GROUP = 32  # few enough that their states and gates stay in the cache beside the weights
TOKENS = 64  # enough that a block of weights, once fetched, is used many times

_f4, _i4 = np.float32, np.int32
_ONE, _TWO = _f4(1), _f4(2)
_LOG2_E = _f4(1 / math.log(2))
_LN_2_HIGH = _f4(0.693359375)  # few bits, so that n times it is exact
_LN_2_LOW = _f4(math.log(2) - 0.693359375)
# Added to a small number, leaves the nearest integer in the low bits, as the exponent of a float.
_ROUND = _f4((3 << 22) + 127)
# (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2: fitted, so that e^r is off by 3e-9 at most. Taylor's
# polynomial would need one more.
_E2, _E3, _E4, _E5, _E6 = map(_f4, (0.50000001, 0.16666519, 0.041666205, 0.0083689178, 0.001395054))


@register_jitable
def limit(H: int) -> Any:
    """Where e^x is cut off: 87. The compiler must not know, or it would make one comparison of two,
    for which there is no vector instruction."""
    return _f4(87 + (H >> 62))


def sigmoid(x: Any, far: Any) -> Any:
    """Made by numba below, for each type."""
    return 1 / (1 + math.exp(-x))


def tanh(x: Any, far: Any) -> Any:
    """Made by numba below, for each type."""
    return math.tanh(x)


@register_jitable
def power_of_e(x: Any, far: Any) -> Any:
    """s and p with e^x = s (1 + p), where s is a power of two and p is small and very exact.

    Unlike the library's it has no branches, so that it runs on whole vectors."""
    x = far if x > far else x
    x = -far if x < -far else x
    shifted = _f4(x * _LOG2_E + _ROUND)
    n = shifted - _ROUND
    r = x - n * _LN_2_HIGH - n * _LN_2_LOW  # |r| <= ln(2) / 2
    p = r + r * r * (_E2 + r * (_E3 + r * (_E4 + r * (_E5 + r * _E6))))
    s = _i4(shifted.view(_i4) << _i4(23)).view(_f4)
    return s, p


@overload(sigmoid)
def _sigmoid(x: Any, far: Any) -> Callable[..., Any]:
    def single(x: Any, far: Any) -> Any:
        s, p = power_of_e(x, far)
        e = s + s * p
        return e / (_ONE + e)

    def double(x: Any, far: Any) -> Any:
        return 1.0 / (1.0 + math.exp(-x))

    return single if x == types.float32 else double


@overload(tanh)
def _tanh(x: Any, far: Any) -> Callable[..., Any]:
    def single(x: Any, far: Any) -> Any:
        s, p = power_of_e(x + x, far)
        e = s * p + (s - _ONE)  # e^2x - 1, exact near zero too
        return e / (e + _TWO)

    def double(x: Any, far: Any) -> Any:
        return math.tanh(x)

    return single if x == types.float32 else double


@register_jitable
def copy(to: Any, row: Any) -> None:
    for j in range(len(row)):  # numba's own assignment copies one number at a time
        to[j] = row[j]


@register_jitable
def clear(row: Any) -> None:
    for j in range(len(row)):
        row[j] = 0


@register_jitable
def room(rows: int, columns: int, like: Any) -> Any:
    """An array [rows, columns] that starts where a cache line starts."""
    flat = np.empty(rows * columns + 64 // like.itemsize, like.dtype)
    skip = (-flat.ctypes.data % 64) // like.itemsize
    return flat[skip : skip + rows * columns].reshape(rows, columns)


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


def _vector(array: Any) -> Any:
    """What a vector register holds of an array's numbers."""
    real = array.data.type.pointee
    return ir.VectorType(real, block_columns(_size(real)) // _VECTORS)


def _size(real: Any) -> int:
    return 8 if isinstance(real, ir.DoubleType) else 4


def _sum_up(
    builder: Any, sums: Any, K: Any, lefts: Any, left_step: Any, right: Any, right_step: Any
) -> None:
    """sums[r] += left[k * left_step] right[k * right_step:] for k < K and each r with its left.

    Sums stay in registers: written in LLVM's language, since no loop in Python tells it so."""
    vector = sums[0][0].type.pointee
    nothing = ir.Constant(vector, ir.Undefined)
    everywhere = ir.Constant(ir.VectorType(ir.IntType(32), vector.count), [0] * vector.count)
    with cgutils.for_range(builder, K, intp=ir.IntType(64)) as loop:
        row = builder.gep(right, [builder.mul(loop.index, right_step)])
        weights = [_load(builder, row, vector, k) for k in range(_VECTORS)]
        at = builder.mul(loop.index, left_step)
        for left, own in zip(lefts, sums, strict=True):
            number = builder.load(builder.gep(left, [at]))
            one = builder.insert_element(nothing, number, ir.IntType(32)(0))
            spread = builder.shuffle_vector(one, nothing, everywhere)
            for weight, total in zip(weights, own, strict=True):
                product = builder.fmul(spread, weight, flags=("contract",))
                builder.store(
                    builder.fadd(builder.load(total), product, flags=("contract",)), total
                )


def _part(builder: Any, pointer: Any, vector: Any, k: int) -> Any:
    moved = builder.gep(pointer, [ir.IntType(64)(k * vector.count)])
    return builder.bitcast(moved, vector.as_pointer())


def _load(builder: Any, pointer: Any, vector: Any, k: int) -> Any:
    return builder.load(_part(builder, pointer, vector, k), align=_size(vector.element))


def _store(builder: Any, value: Any, pointer: Any, vector: Any, k: int) -> None:
    builder.store(value, _part(builder, pointer, vector, k), align=_size(vector.element))


def _registers(builder: Any, vector: Any, rows: int) -> Any:
    reserve: Any = cgutils.alloca_once
    return [[reserve(builder, vector) for _ in range(_VECTORS)] for _ in range(rows)]


def _arrays(context: Any, builder: Any, signature: Any, values: Any) -> dict[int, Any]:
    return {
        k: context.make_array(kind)(context, builder, values[k])
        for k, kind in enumerate(signature.args)
        if isinstance(kind, types.Array)
    }


def _add_block(
    typing: Any, count: Any, out: Any, to: Any, start: Any, base: Any, at: Any, left: Any, of: Any,
    begin: Any, W: Any, place: Any, K: Any,
) -> Any:  # fmt: skip
    """out[to[r], start:] = base[at[r], start:] + left[of[r], begin:] B for r < count, with the K
    rows of the block B at W[place:]."""
    arguments = (count, out, to, start, base, at, left, of, begin, W, place, K)
    rows = count.literal_value

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        arrays = _arrays(context, builder, signature, values)
        vector = _vector(arrays[9])
        whole = ir.IntType(64)

        def row(array: int, index: int, r: int, offset: Any) -> Any:
            """A pointer to arrays[array][arrays[index][r], offset:]."""
            position = builder.load(builder.gep(arrays[index].data, [whole(r)]))
            width = builder.extract_value(arrays[array].shape, 1)
            at = builder.add(builder.mul(position, width), offset)
            return builder.gep(arrays[array].data, [at])

        outs, bases = ([row(k, k + 1, r, values[3]) for r in range(rows)] for k in (1, 4))
        lefts = [row(6, 7, r, values[8]) for r in range(rows)]
        block = builder.gep(arrays[9].data, [values[10]])
        sums = _registers(builder, vector, rows)
        for pointer, own in zip(bases, sums, strict=True):
            for k, total in enumerate(own):
                builder.store(_load(builder, pointer, vector, k), total)
        width = whole(vector.count * _VECTORS)
        _sum_up(builder, sums, values[11], lefts, whole(1), block, width)
        for pointer, own in zip(outs, sums, strict=True):
            for k, total in enumerate(own):
                _store(builder, builder.load(total), pointer, vector, k)
        return context.get_dummy_value()

    return types.void(*arguments), generate


add_block: Any = intrinsic(prefer_literal=True)(_add_block)


def _add_outer_block(
    typing: Any, out: Any, row: Any, start: Any, left: Any, right: Any, K: Any
) -> Any:
    """out[row + r, start:] += the sum over k < K of left[k, row + r] right[k, start:], r < 4."""
    arguments = (out, row, start, left, right, K)

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        arrays = _arrays(context, builder, signature, values)
        vector = _vector(arrays[4])
        _, row, start, _, _, K = values
        wide = {k: builder.extract_value(array.shape, 1) for k, array in arrays.items()}
        rows = [builder.add(row, ir.IntType(64)(r)) for r in range(4)]
        lefts = [builder.gep(arrays[3].data, [r]) for r in rows]
        right = builder.gep(arrays[4].data, [start])
        sums = _registers(builder, vector, 4)
        for own in sums:
            for total in own:
                builder.store(ir.Constant(vector, [0.0] * vector.count), total)
        _sum_up(builder, sums, K, lefts, wide[3], right, wide[4])
        for r, own in zip(rows, sums, strict=True):
            pointer = builder.gep(arrays[0].data, [builder.add(builder.mul(r, wide[0]), start)])
            for k, total in enumerate(own):
                before = _load(builder, pointer, vector, k)
                _store(builder, builder.fadd(before, builder.load(total)), pointer, vector, k)
        return context.get_dummy_value()

    return types.void(*arguments), generate


add_outer_block: Any = intrinsic(_add_outer_block)


@register_jitable
def band_rows(K: int) -> int:
    """How many of K rows the blocks of a band have: all bands about as many."""
    return -(-K // -(-K // BLOCK_ROWS)) if K > 0 else 1


@register_jitable
def arrange(W: Any) -> Any:
    """W [K, N] in the blocks that `add_products` takes, and the columns left over."""
    K, N = W.shape
    wide = block_width(W)
    columns = N // wide * wide
    tall = band_rows(K)
    blocks = room(1, K * columns, W)[0]
    place = 0
    for begin in range(0, K, tall):
        for start in range(0, columns, wide):
            for k in range(begin, min(begin + tall, K)):
                for j in range(start, start + wide):
                    blocks[place] = W[k, j]
                    place += 1
    return blocks, W[:, columns:].copy()


@register_jitable
def add_products(
    out: Any, to: Any, base: Any, at: Any, left: Any, of: Any, W: Any, rows: int
) -> None:
    """out[to[r]] = base[at[r]] + left[of[r]] W for r < rows; W is arranged."""
    blocks, rest = W
    columns = out.shape[1] - rest.shape[1]
    wide = block_width(blocks)
    tall = band_rows(rest.shape[0])
    for r in range(rows if rest.shape[1] > 0 else 0):
        copy(out[to[r], columns:], base[at[r], columns:])
        add_product(out[to[r], columns:], left[of[r]], rest)
    place = 0
    for begin in range(0, rest.shape[0], tall):
        K = min(tall, rest.shape[0] - begin)
        for start in range(0, columns, wide):
            r = 0
            while r < rows:
                t, b, f = to[r:], at[r:], of[r:]
                if rows - r >= 4:
                    add_block(4, out, t, start, base, b, left, f, begin, blocks, place, K)
                    r += 4
                elif rows - r >= 2:
                    add_block(2, out, t, start, base, b, left, f, begin, blocks, place, K)
                    r += 2
                else:
                    add_block(1, out, t, start, base, b, left, f, begin, blocks, place, K)
                    r += 1
            place += K * wide
        base, at = out, to


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
def add_outer(out: Any, left: Any, right: Any, K: int) -> None:
    """out += left' right, of their first K rows; out has whole blocks of columns.

    They are summed from zero and then added, so that errors do not grow with all tokens."""
    for start in range(0, out.shape[1], block_width(out)):
        for row in range(0, out.shape[0], 4):
            add_outer_block(out, row, start, left, right, K)


@register_jitable
def find(now: Any, first: Any, lengths: Any, s: int, stride: int, reverse: bool) -> int:
    """Where each row's token of step s is, and how many rows are that long."""
    r = 0
    while r < len(first) and lengths[r] > s:
        now[r] = first[r] + stride * (lengths[r] - 1 - s if reverse else s)
        r += 1
    return r


@register_jitable
def plan(
    now: Any, ends: Any, first: Any, lengths: Any, s: int, towards: int, stride: int, reverse: bool
) -> int:
    """Find the tokens of step s and of those after it, or before it, as many as fit into TOKENS.

    The tokens of step s + k * towards end before ends[k]. Returns the number of steps.
    """
    n, many = 0, 0
    while 0 <= s + many * towards < lengths[0]:
        n += find(now[n:], first, lengths, s + many * towards, stride, reverse)
        if n > TOKENS:
            break
        ends[many] = n
        many += 1
    return many


@register_jitable
def clear_padding(rows: Any, first: Any, lengths: Any, stride: int, directions: int) -> None:
    """Zeros after each sequence in [T * B * D, ...]; for [T * B, ...], with the directions."""
    for r in range(len(first)):
        for t in range(lengths[r], rows.shape[0] * directions // stride):
            clear(rows[(first[r] + t * stride) // directions])


@register_jitable
def step(gates: Any, c: Any, h: Any, w: Any) -> None:
    """A row's gates from their inputs, its cell and its output."""
    H = len(c)
    far = limit(H)
    i, f, g, o = gates[:H], gates[H : 2 * H], gates[2 * H : 3 * H], gates[3 * H :]
    w_ci, w_cf, w_co = w[0], w[1], w[2]
    for j in range(H):
        i[j] = sigmoid(i[j] + w_ci[j] * c[j], far)
        f[j] = sigmoid(f[j] + w_cf[j] * c[j], far)
        g[j] = tanh(g[j], far)
        c[j] = f[j] * c[j] + i[j] * g[j]
    for j in range(H):  # two loops: a core computes more units at once if each takes less long
        o[j] = sigmoid(o[j] + w_co[j] * c[j], far)
        h[j] = o[j] * tanh(c[j], far)


def project(x: Any, bias: Any, W_x: Any, gates: Any) -> None:
    """gates = bias + W_x x, for each row of x."""
    blocks = arrange(W_x.T)
    rows, base, at = np.arange(TOKENS), bias.reshape(1, -1), np.zeros(TOKENS, np.int64)
    for begin in range(0, x.shape[0], TOKENS):
        some, out = x[begin : begin + TOKENS], gates[begin : begin + TOKENS]
        add_products(out, rows, base, at, some, rows, blocks, len(some))


def forward(
    inputs: Any,  # x [T * B, I]; without a bias what it projects to, [T * B * D, 4H]
    bias: Any,  # [4H], or nothing
    W_x: Any,  # [4H, I], of this direction
    gates: Any,  # [T * B * D, 4H], or nothing if they are not kept
    cells: Any,  # [T * B * D, H], or nothing
    hidden: Any,  # [T * B * D, H]
    W: Any,  # [4H, H], W_h of this direction
    w: Any,  # [3, H]
    first: Any,  # [R], where each row's first token is in the [T * B * D, ...]
    lengths: Any,  # [R], falling
    stride: int,  # from token to token
    directions: int,
    reverse: bool,
    in_place: bool,  # the gates are already what the inputs project to
) -> None:
    blocks_x, blocks = arrange(W_x.T), arrange(W.T)
    for k in range(0, len(first), GROUP):
        forward_group(
            inputs, bias, blocks_x, gates, cells, hidden, blocks, w, first[k : k + GROUP],
            lengths[k : k + GROUP], stride, directions, reverse, in_place,
        )  # fmt: skip


@register_jitable
def forward_group(
    inputs: Any, bias: Any, W_x: Any, gates: Any, cells: Any, hidden: Any, W: Any, w: Any,
    first: Any, lengths: Any, stride: int, directions: int, reverse: bool, in_place: bool,
) -> None:  # fmt: skip
    c = np.zeros((len(first), hidden.shape[1]), cells.dtype)
    own = len(gates) == 0
    if own:
        gates = room(TOKENS, 4 * hidden.shape[1], cells)
    now, kept, source, before, ends, zeros = np.zeros((6, TOKENS + GROUP), np.int64)
    base = bias.reshape(1, -1)
    clear_padding(hidden, first, lengths, stride, 1)
    s = 0
    while s < lengths[0]:
        many = plan(now, ends, first, lengths, s, 1, stride, reverse)
        for m in range(ends[many - 1]):
            kept[m] = m if own else now[m]
            source[m] = now[m] // directions
            before[m] = now[m] + (stride if reverse else -stride)
            if len(bias) == 0 and not in_place:
                copy(gates[kept[m]], inputs[now[m]])
        if len(bias) > 0:
            add_products(gates, kept, base, zeros, inputs, source, W_x, ends[many - 1])
        n = 0
        for k in range(many):
            if s + k > 0:
                add_products(gates, kept[n:], gates, kept[n:], hidden, before[n:], W, ends[k] - n)
            for m in range(n, ends[k]):
                step(gates[kept[m]], c[m - n], hidden[now[m]], w)
                if len(cells) > 0:
                    copy(cells[now[m]], c[m - n])
            n = ends[k]
        s += many


@register_jitable
def step_back(gates: Any, c: Any, c_before: Any, dh: Any, dc: Any, w: Any, d_gates: Any) -> None:
    """The gradients of a row's gates; dc passes to the step before."""
    H = len(c)
    far = limit(H)
    i, f, g, o = gates[:H], gates[H : 2 * H], gates[2 * H : 3 * H], gates[3 * H :]
    d_i, d_f = d_gates[:H], d_gates[H : 2 * H]
    d_g, d_o = d_gates[2 * H : 3 * H], d_gates[3 * H : 4 * H]
    w_ci, w_cf, w_co = w[0], w[1], w[2]
    for j in range(H):
        t = tanh(c[j], far)
        d_o[j] = dh[j] * t * (o[j] - o[j] * o[j])
        dc[j] += dh[j] * (o[j] - o[j] * t * t) + d_o[j] * w_co[j]
    for j in range(H):
        d_c = dc[j]
        d_i[j] = d_c * g[j] * (i[j] - i[j] * i[j])
        d_f[j] = d_c * c_before[j] * (f[j] - f[j] * f[j])
        d_g[j] = d_c * (i[j] - i[j] * g[j] * g[j])
        dc[j] = d_c * f[j] + d_i[j] * w_ci[j] + d_f[j] * w_cf[j]


@register_jitable
def add_to_sums(sums: Any, gates: Any, c: Any, c_before: Any) -> None:
    """The row's share in the gradients of the bias [4H] and of the peepholes [3H]."""
    H = len(c)
    for j in range(4 * H):
        sums[j] += gates[j]
    d_i, d_f, d_o = gates[:H], gates[H : 2 * H], gates[3 * H : 4 * H]
    d_w_ci, d_w_cf, d_w_co = sums[4 * H : 5 * H], sums[5 * H : 6 * H], sums[6 * H :]
    for j in range(H):
        d_w_ci[j] += d_i[j] * c_before[j]
        d_w_cf[j] += d_f[j] * c_before[j]
        d_w_co[j] += d_o[j] * c[j]


def backward(
    grad_hidden: Any,  # [T * B * D, H]
    gates: Any,  # [T * B * D, 4H]; without d_W they become their gradients
    cells: Any,  # [T * B * D, H]
    hidden: Any,  # [T * B * D, H]
    x: Any,  # [T * B, I]
    W_x: Any,  # [4H, I], of this direction
    W: Any,  # [4H, H], W_h of this direction
    w: Any,
    first: Any,
    lengths: Any,
    stride: int,
    directions: int,
    reverse: bool,
    totals: Any,  # [7H], float64: gradients of the bias and the peepholes
    d_W: Any,  # [4H, I + H and up to a whole block]: of W_x and W_h; or nothing
    d_x: Any,  # [T * B, I], or nothing
) -> None:
    blocks_x, blocks = arrange(W_x), arrange(W)
    for k in range(0, len(first), GROUP):
        backward_group(
            grad_hidden, gates, cells, hidden, x, blocks_x, blocks, w, first[k : k + GROUP],
            lengths[k : k + GROUP], stride, directions, reverse, totals, d_W, d_x,
        )  # fmt: skip


@register_jitable
def backward_group(
    grad_hidden: Any, gates: Any, cells: Any, hidden: Any, x: Any, W_x: Any, W: Any, w: Any,
    first: Any, lengths: Any, stride: int, directions: int, reverse: bool, totals: Any, d_W: Any,
    d_x: Any,
) -> None:  # fmt: skip
    H, size, R = cells.shape[1], x.shape[1], len(first)
    back = stride if reverse else -stride
    dh, dc, none = room(R, H, cells), np.zeros((R, H), cells.dtype), np.zeros(H, cells.dtype)
    # One cache line more than a row needs: at a power of two, rows would drive each other out.
    line = 64 // cells.itemsize
    d_gates, read = room(TOKENS, 4 * H + line, cells), room(TOKENS, d_W.shape[1] + line, cells)
    sums, own = np.empty(7 * H, cells.dtype), np.arange(TOKENS)
    now, before, ends = np.zeros((3, TOKENS + GROUP), np.int64)
    read[:] = 0
    if len(d_W) == 0:
        clear_padding(gates, first, lengths, stride, 1)
    if len(d_x) > 0:
        clear_padding(d_x, first, lengths, stride, directions)
    s, later = lengths[0] - 1, 0  # how many rows had a step after this one
    while s >= 0:
        many = plan(now, ends, first, lengths, s, -1, stride, reverse)
        sums[:] = 0
        n = 0
        for k in range(many):
            for m in range(n, ends[k]):
                r, at = m - n, now[m]
                if r >= later:
                    copy(dh[r], grad_hidden[at])
                c_before = cells[at + back] if s > k else none
                step_back(gates[at], cells[at], c_before, dh[r], dc[r], w, d_gates[m])
                add_to_sums(sums, d_gates[m], cells[at], c_before)
                before[r] = at + back
                if len(d_W) > 0:
                    copy(read[m, :size], x[at // directions])
                    copy(read[m, size : size + H], hidden[at + back] if s > k else none)
            later = ends[k] - n
            if s > k:
                add_products(dh, own, grad_hidden, before, d_gates, own[n:], W, later)
            n = ends[k]
        for j in range(7 * H):
            totals[j] += sums[j]
        pass_on(d_gates, read, now, n, gates, d_W, d_x, W_x, directions)
        s -= many


@register_jitable
def pass_on(
    d_gates: Any, read: Any, now: Any, n: int, gates: Any, d_W: Any, d_x: Any, W_x: Any,
    directions: int,
) -> None:  # fmt: skip
    """The gradients of n tokens' gates are kept, or become those of the weights and of x."""
    H4 = gates.shape[1]
    if len(d_W) == 0:
        for m in range(n):
            copy(gates[now[m]], d_gates[m, :H4])
    else:
        add_outer(d_W, d_gates, read, n)
    if len(d_x) > 0:
        nothing, first = np.zeros((1, d_x.shape[1]), d_x.dtype), np.zeros(n, np.int64)
        add_products(d_x, now[:n] // directions, nothing, first, d_gates, np.arange(n), W_x, n)
