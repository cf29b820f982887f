"""How near a result must be to LibTorch's: a function a bound of StoredStep (fuzz/export/reference_outputs.h).

Each takes (wanted, given, step, operands), and returns which elements are near enough. Functions may err by 8 units in the last
place in the dtype that computes (f32 for 16 bits, whose own rounding may then go the other way: one unit more), sums by n * eps * sum|x|.
"""

import ml_dtypes
import numpy as np

ULPS = 8


def is_float(array):
    return array.dtype.kind == "f" or array.dtype == ml_dtypes.bfloat16


def equal(wanted, given):
    """The same bits, any NaN for every NaN."""
    bits = f"u{wanted.dtype.itemsize}"
    same = np.ascontiguousarray(wanted).view(bits) == np.ascontiguousarray(given).view(bits)
    return same | ((wanted != wanted) & (given != given)) if is_float(wanted) else same


def equal_but_for_zeros(wanted, given):
    return equal(wanted, given) | ((wanted == 0) & (given == 0))


def unit(dtype):
    """The relative distance of two numbers of the dtype."""
    return float(ml_dtypes.finfo(dtype).eps)


def computed_unit(dtype):
    return unit(np.float64 if dtype == np.float64 else np.float32)


def wide(array):
    return array.astype(np.float64)


def within(wanted, given, error):
    """error: of the dtype that computes, absolute; a result of 16 bits may be the next one."""
    tiny = ml_dtypes.finfo(wanted.dtype)
    rounding = 0 if wanted.dtype.itemsize >= 4 else unit(wanted.dtype) * np.abs(wide(wanted))
    smallest = float(tiny.smallest_subnormal) * ULPS
    near = np.abs(wide(wanted) - wide(given)) <= error + rounding + smallest
    # The largest finite number and infinity are neighbours.
    largest = float(tiny.max) * (1 - 16 * unit(wanted.dtype))
    both_large = (np.abs(wide(wanted)) >= largest) & (np.abs(wide(given)) >= largest) & (np.sign(wide(wanted)) == np.sign(wide(given)))
    return equal_but_for_zeros(wanted, given) | near | both_large


def near_result(wanted, given, step, operands):
    return within(wanted, given, ULPS * computed_unit(wanted.dtype) * np.abs(np.nan_to_num(wide(wanted))))


def near_operands(wanted, given, step, operands):
    """Of a formula whose steps are rounded: an operand's rounding may be all that is left."""
    scale = np.abs(np.nan_to_num(wide(wanted), posinf=0, neginf=0))
    for operand in operands:
        if operand.dtype != np.bool_:
            scale = np.maximum(scale, np.abs(np.nan_to_num(wide(operand), posinf=0, neginf=0)))
    return within(wanted, given, np.broadcast_to(ULPS * computed_unit(wanted.dtype) * scale, wanted.shape))


def near_sums_at(wanted, given, step, operands):
    """Of a scatter_add: sums of the elements at each place, in any order."""
    whole, index, source = np.abs(wide(operands[0])), operands[1], np.abs(wide(operands[2]))
    places = list(np.indices(index.shape))
    places[step["dims"][0]] = index.astype(np.int64)
    total, count = np.nan_to_num(whole, posinf=0), np.ones(whole.shape)
    np.add.at(total, tuple(places), np.nan_to_num(source, posinf=0)[tuple(slice(size) for size in index.shape)])
    np.add.at(count, tuple(places), 1)
    error = computed_unit(wanted.dtype) * (count + ULPS) * total
    # A sum that is rounded to 16 bits where it is stored, as LibTorch does each time, errs by as much each time.
    if wanted.dtype.itemsize < 4:
        error = error + unit(wanted.dtype) * count * total
    return within(wanted, given, error)


def near_terms(wanted, given, step, operands):
    if step["op"] == "ScatterAdd":
        return near_sums_at(wanted, given, step, operands)
    terms, axes = wide(operands[0]), tuple(step["dims"])
    count = int(np.prod([terms.shape[axis] for axis in axes], dtype=np.int64))
    eps = computed_unit(wanted.dtype) * (count + ULPS)
    total = np.abs(terms).sum(axis=axes)
    # Where partial results of finite terms may leave the range, the order decides between numbers, infinities and NaN.
    largest = float(ml_dtypes.finfo(np.float64 if wanted.dtype == np.float64 else np.float32).max)
    finite = np.where(np.isfinite(terms), np.abs(terms), 0)
    reach = finite.sum(axis=axes)
    if step["op"] == "Prod":
        error, reach = eps * np.abs(wide(wanted)), np.maximum(finite, 1).prod(axis=axes)
    elif step["op"] == "Sum":
        error = eps * total
    elif step["op"] in ("Mean", "MeanOfVarMean"):
        error = eps * total / max(count, 1)
    else:
        error, reach = spread_error(terms, axes, count, step["correction"], eps), reach ** 2
    near = within(wanted, given, np.nan_to_num(error, nan=0.0, posinf=0.0)) | (reach >= largest)
    if step["op"] in ("Var", "VarMean") and count <= step["correction"]:
        # Divided by 0: infinite, or NaN where the sum of the squares, which rounding may move from 0, is 0.
        near |= (wanted != wanted) & np.isinf(given) | np.isinf(wanted) & (given != given)
    if step["op"] == "MeanOfVarMean":
        # Welford's update of an infinite mean, inf - inf, is NaN.
        near |= np.isinf(terms).any(axis=axes) & (wanted != wanted) & np.isinf(given)
    return near


def near_terms_so_far(wanted, given, step, operands):
    terms, axis = wide(operands[0]), step["dims"][0]
    eps = computed_unit(wanted.dtype) * (terms.shape[axis] + ULPS)
    largest = float(ml_dtypes.finfo(np.float64 if wanted.dtype == np.float64 else np.float32).max)
    finite = np.where(np.isfinite(terms), np.abs(terms), 0)
    if step["op"] == "Cumprod":
        error, reach = eps * np.abs(wide(wanted)), np.maximum(finite, 1).cumprod(axis=axis)
    else:
        error, reach = eps * np.abs(terms).cumsum(axis=axis), finite.cumsum(axis=axis)
    return within(wanted, given, np.nan_to_num(error, nan=0.0, posinf=0.0)) | (reach >= largest)


def spread_error(terms, axes, count, correction, eps):
    """Of a variance: of its sum, of its differences, and of the mean that they are taken from."""
    distances = np.abs(terms - terms.mean(axis=axes, keepdims=True)) if count else terms
    largest = np.abs(terms).max(axis=axes, initial=0)
    squares = (distances ** 2).sum(axis=axes) + largest * distances.sum(axis=axes) + count * eps * largest ** 2
    return eps * squares / max(count - correction, 1)


BOUNDS = {
    "bits": lambda wanted, given, step, operands: equal(wanted, given),
    "zero": lambda wanted, given, step, operands: equal_but_for_zeros(wanted, given),
    "ulps": near_result,
    "operands": near_operands,
    "terms": near_terms,
    "terms so far": near_terms_so_far,
}
