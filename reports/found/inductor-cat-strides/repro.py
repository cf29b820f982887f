"""torch.compile (inductor, CPU): a cat of one tensor with itself has other strides than in eager mode."""

import platform
import sys

import torch


def twice(x):
    return torch.cat([x, x], 2)


print("torch", torch.__version__, "python", platform.python_version())
x = torch.arange(120.0).reshape(2, 3, 4, 5).to(memory_format=torch.channels_last)
expected = twice(x)
given = torch.compile(twice, fullgraph=True, dynamic=False)(x)
print("expected (eager) strides:", expected.stride())
print("given strides:", given.stride(), "; elements are right:", torch.equal(expected, given))
sys.exit(0 if expected.stride() == given.stride() and torch.equal(expected, given) else 1)
