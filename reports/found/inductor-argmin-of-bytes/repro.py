"""torch.compile (inductor, CPU): argmin of int8 numbers finds the lanes of a vector that hold no element."""

import platform
import sys

import torch

print("torch", torch.__version__, "python", platform.python_version())
wrong = False
for name, function in (("argmin", torch.argmin), ("argmax", torch.argmax)):
    sign = 1 if name == "argmin" else -1
    x = torch.full((112,), 5 * sign, dtype=torch.int8)
    x[66] = 4 * sign
    expected, given = function(x), torch.compile(function)(x)
    print(f"{name}: expected (eager) {expected.item()}, given {given.item()}")
    wrong |= bool(expected != given)
sys.exit(1 if wrong else 0)
