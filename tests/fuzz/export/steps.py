"""What programs share that run a case expression by expression: an expression gets LibTorch's values of its operands, and its results
are held against LibTorch's, as near as the expression's op demands (bounds.py). So an error is seen where it is made, and no other
error hides it."""

import ml_dtypes
import numpy as np

from bounds import BOUNDS
from libtorch_faults import LIBTORCH_FAULTS

DTYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "i64": np.int64,
          "i32": np.int32, "i8": np.int8, "bool": np.bool_, "i16": np.int16, "u8": np.uint8, "u16": np.uint16, "u32": np.uint32,
          "f8e4m3fn": ml_dtypes.float8_e4m3fn, "f8e5m2": ml_dtypes.float8_e5m2}


def tensor_of(folder, stored):
    dtype = np.dtype(DTYPES[stored["dtype"]])
    return folder.bytes_of(stored, dtype.itemsize).view(dtype).reshape(stored["sizes"])


def same_bits(one, two):
    return one.dtype == two.dtype and one.tobytes() == two.tobytes()


def results_of(step):
    """(result, the step that bounds it): the second result of a variance is a mean."""
    return zip(step["results"], (step, {**step, "op": "MeanOfVarMean"}))


def known_elements(faults, op, dtype, wanted, given, operands):
    """Yields (which elements may differ, why). A fault: op, dtypes, elements(wanted, given, operands), why."""
    for fault_op, dtypes, elements, why in faults + LIBTORCH_FAULTS:
        if op == fault_op and dtype in dtypes:
            yield elements(wanted, given, operands), f"{dtype} {op}: {why}"


def meets(shape, whole):
    """Whether it is broadcast to the whole: operands that move, or are read at indices, have other shapes."""
    behind = whole[len(whole) - len(shape):]
    return len(shape) <= len(whole) and all(size in (1, other) for size, other in zip(shape, behind))


def difference(wanted, given, step, operands, faults, left_out):
    """"" where each element is as near as the step's bound says, or known to differ: those are counted in left_out."""
    given = np.asarray(given)
    if wanted.dtype != given.dtype or wanted.shape != given.shape:
        return f"{given.dtype}{list(given.shape)} instead of {wanted.dtype}{list(wanted.shape)}"
    unequal = ~BOUNDS[step["bound"]](wanted, given, step, operands)
    if not unequal.any():
        return ""
    for elements, why in known_elements(faults, step["op"], step["results"][0]["dtype"], wanted, given, operands):
        left_out["elements are left out: " + why] += np.count_nonzero(unequal & elements)
        unequal &= ~elements
    where = np.flatnonzero(unequal)
    if where.size == 0:
        return ""
    first = where[0]
    at = [str(np.broadcast_to(operand, wanted.shape).reshape(-1)[first]) for operand in operands
          if step["bound"] != "terms" and meets(operand.shape, wanted.shape)]
    return (f"{where.size} of {wanted.size} elements differ, first {first}: {given.reshape(-1)[first]} instead of "
            f"{wanted.reshape(-1)[first]}, operands {', '.join(at)}")
