"""Where StableHLO's interpreter leaves its specification, or that leaves open what the language defines: elements that are left out,
and counted. libtorch_faults.py has LibTorch's."""

import numpy as np

from bounds import is_float, wide
from libtorch_faults import SIXTEEN, near_result_in_16_bits


def out_of_range(wanted, given, operands):
    """Of floats: NaN, infinities, and what no integer of the result's dtype is."""
    if not is_float(operands[0]):
        return np.zeros(wanted.shape, bool)
    return ~(np.abs(np.trunc(wide(operands[0]))) < 2.0 ** (8 * wanted.itemsize - 1))


def logistic_in_16_bits(wanted, given, operands):
    """exp(-x) of 16 bits is infinite, and the quotient 0, from -11.1 on in f16, from -88.7 on in bf16."""
    return near_result_in_16_bits(wanted, given, operands) | (given == 0) & (wide(operands[0]) < -11)


# op, dtypes, elements, why
KNOWN_FAULTS = [
    ("Cast", ("i64", "i32", "i8"), out_of_range, "the specification: when the conversion is not exact, the behaviour is TBD"),
    ("Sigmoid", SIXTEEN, logistic_in_16_bits, "the interpreter's logistic is three steps, each rounded to 16 bits; the "
     "specification: for floats, division(1, addition(1, exp(-x))) from IEEE-754"),
]

# op, what the interpreter says, why
KNOWN_ERRORS = []


def known_error(op, text):
    for fault_op, part, why in KNOWN_ERRORS:
        if op == fault_op and part in text:
            return f"{op}: {why}"
    return ""
