"""Where ReferenceEvaluator leaves ONNX's specification: elements that are left out, and counted. libtorch_faults.py has LibTorch's."""

import numpy as np

from bounds import wide
from libtorch_faults import scale


def near_in_f32(wanted, given, operands):
    return np.abs(wide(wanted) - wide(given)) <= 2.0 ** -22 * np.maximum(scale(wanted, operands), 1)


# op, dtypes, elements, why
KNOWN_FAULTS = [
    ("Erf", ("f64",), near_in_f32, "ReferenceEvaluator computes Erf in f32 (np.vectorize(erf, otypes=['f'])); the "
     "specification: Computes the error function of the given input tensor element-wise"),
    ("Gelu", ("f64",), near_in_f32, "ReferenceEvaluator: its Erf is f32"),
    ("GeluTanh", ("f64",), near_in_f32, "onnx's function body of Gelu has its constants in f32; the specification: y = 0.5 * x * "
     "(1 + Tanh(sqrt(2/pi) * (x + 0.044715 * x^3)))"),
]

# op, what ReferenceEvaluator says, why
KNOWN_ERRORS = [
    ("Softsign", "TypeError", "ReferenceEvaluator's Softsign gives a numpy scalar for a tensor of rank 0, and rejects it; the "
     "specification has no least rank"),
]


def known_error(op, text):
    for fault_op, start, why in KNOWN_ERRORS:
        if op == fault_op and text.startswith(start):
            return f"{op}: {why}"
    return ""
