"""Where LibTorch leaves the language: elements that are left out, and counted. The rows are those of tests/oracle/boxes_test.cpp.

A row says of which op and dtypes, which elements may differ (a function of wanted, given and the operands), and why.
"""

import numpy as np

from bounds import unit, wide

SIXTEEN = ("f16", "bf16")
WIDE = ("f32", "f64")
FLOATS = SIXTEEN + WIDE


def rounded_right(wanted, given, operands):
    """numpy's square root is rounded correctly, as IEEE 754 says. Of a literal operand nothing is known: an ulp."""
    if not operands:
        return np.abs(wide(wanted) - wide(given)) <= 2 * unit(wanted.dtype) * np.abs(wide(wanted))
    return np.broadcast_to(given == np.sqrt(operands[0]), wanted.shape)


def scale(wanted, operands):
    largest = np.abs(np.nan_to_num(wide(wanted), posinf=0, neginf=0))
    for operand in operands:
        if operand.dtype != np.bool_:
            largest = np.maximum(largest, np.abs(np.nan_to_num(wide(operand), posinf=0, neginf=0)))
    return np.broadcast_to(largest, wanted.shape)


def near_in_16_bits(wanted, given, operands):
    return np.abs(wide(wanted) - wide(given)) <= 4 * unit(wanted.dtype) * scale(wanted, operands)


def near_result_in_16_bits(wanted, given, operands):
    return np.abs(wide(wanted) - wide(given)) <= 4 * unit(wanted.dtype) * np.abs(wide(wanted))


def product_in_16_bits(wanted, given, operands):
    """Past the largest number it is infinite, and NaN times 0."""
    return near_result_in_16_bits(wanted, given, operands) | ~np.isfinite(wide(wanted))


def of_nan(wanted, given, operands):
    return np.isnan(np.broadcast_to(operands[0], wanted.shape))


def zeros(wanted, given, operands):
    return (wanted == 0) & (given == 0)


def sign_of_nan(wanted, given, operands):
    return np.isnan(np.broadcast_to(operands[-1], wanted.shape)) & (np.abs(wanted) == np.abs(given))


def near_quotient(wanted, given, operands):
    """Of whole numbers: one more or less, beside the rounding of the quotient."""
    return np.abs(wide(wanted) - wide(given)) <= 1 + 4 * unit(wanted.dtype) * np.abs(wide(wanted))


def large_quotient(wanted, given, operands):
    """Of a literal operand nothing is known: then of what its result shows."""
    if len(operands) < 2:
        return np.isnan(wanted) | np.isnan(given)
    return np.broadcast_to(~(np.abs(wide(operands[0]) / wide(operands[1])) < 2.0 ** 20), wanted.shape)


def near_overflow(wanted, given, operands):
    size = np.abs(wide(operands[0]))
    return np.broadcast_to(((size > 88.5) & (size < 90)) | ((size > 709) & (size < 710.5)), wanted.shape)


# op, dtypes, elements, why
LIBTORCH_FAULTS = [
    ("Sqrt", WIDE, rounded_right, "LibTorch: MKL's vector square root is off by an ulp"),
    ("Relu", FLOATS, zeros, "LibTorch leaves -0 as it is; the language gives +0, and ONNX's y = max(0, x) does not say"),
    ("Copysign", FLOATS, sign_of_nan, "LibTorch copies the sign of a NaN; a NaN has no sign in the language"),
    ("Rsqrt", SIXTEEN, near_in_16_bits, "LibTorch rounds the square root to 16 bits before it divides"),
    ("Softsign", SIXTEEN, near_in_16_bits, "LibTorch: three ops, each rounded to 16 bits"),
    ("Logit", SIXTEEN, near_in_16_bits, "LibTorch rounds each step to 16 bits"),
    ("Xlogy", SIXTEEN, near_in_16_bits, "LibTorch rounds the logarithm to 16 bits before it multiplies"),
    ("Signbit", ("bool",), of_nan, "LibTorch reads the sign of a NaN; a NaN has no sign in the language"),
    ("Prod", SIXTEEN, product_in_16_bits, "LibTorch multiplies in 16 bits, or axis by axis"),
    ("Div", SIXTEEN, near_in_16_bits, "LibTorch's CPU kernel rounds a number in front of 16 bits to 16 bits"),
    ("Arange", SIXTEEN, near_result_in_16_bits, "LibTorch's vector kernel adds in 16 bits"),
    ("Mul", SIXTEEN, near_in_16_bits, "LibTorch's CPU kernel rounds a number in front of 16 bits to 16 bits"),
    ("Tanhshrink", SIXTEEN, near_in_16_bits, "LibTorch: two ops, each rounded to 16 bits"),
    ("Lerp", SIXTEEN, near_in_16_bits, "LibTorch's CPU kernel rounds a number beside 16 bits to 16 bits"),
    ("TruncDiv", SIXTEEN, near_quotient, "LibTorch rounds the quotient to 16 bits before it truncates it"),
    ("Fmod", FLOATS, large_quotient, "LibTorch's vector fmod is wrong or NaN for large quotients"),
    ("Remainder", FLOATS, large_quotient, "LibTorch's vector fmod is wrong or NaN for large quotients"),
    ("FloorDiv", FLOATS, large_quotient, "LibTorch's vector fmod is wrong or NaN for large quotients"),
    ("FloorDiv", SIXTEEN, near_quotient, "LibTorch rounds each step to 16 bits"),
    ("Sinh", WIDE, near_overflow, "LibTorch's vector sinh overflows at 88.5 in f32, at 709.8 in f64"),
    ("Cosh", WIDE, near_overflow, "LibTorch's vector cosh overflows at 88.5 in f32, at 709.8 in f64"),
]
