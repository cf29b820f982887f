"""torch.compile (inductor, CPU): an arange that is converted to bool keeps its numbers: silently wrong results."""

import platform
import sys

import torch


def as_float():
    return torch.arange(-1, 31).to(torch.bool).to(torch.float32)


def negated():
    return torch.logical_not(torch.arange(0, 32).to(torch.bool))


print("torch", torch.__version__, "python", platform.python_version())
wrong = False
for function in (as_float, negated):
    torch._dynamo.reset()
    expected = function()
    given = torch.compile(function, fullgraph=True, dynamic=False)()
    wrong |= not torch.equal(expected, given)
    print(function.__name__, "expected (eager):", expected[:6].tolist(), "given:", given[:6].tolist())
sys.exit(1 if wrong else 0)
