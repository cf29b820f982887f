"""torch.compile (inductor, CPU): amin and amax of 16 or more numbers of 8 bits take zeros that are no elements."""

import platform
import sys

import torch


def least(x):
    return torch.amin(x, (0,))


def greatest(x):
    return torch.amax(x, (0,))


print("torch", torch.__version__, "python", platform.python_version())
wrong = False
fives = torch.full((32,), 5, dtype=torch.int8)
for function, x in ((least, fives), (least, fives.to(torch.uint8)), (greatest, -fives)):
    torch._dynamo.reset()
    expected = function(x)
    given = torch.compile(function, fullgraph=True, dynamic=False)(x)
    wrong |= not torch.equal(expected, given)
    print(function.__name__, x.dtype, "expected (eager):", expected.item(), "given:", given.item())
sys.exit(1 if wrong else 0)
