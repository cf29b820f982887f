"""torch.compile (inductor, CPU): a cumsum of a constant is an expanded tensor, which nobody may write to."""

import platform
import sys

import torch


def counts(rows):
    return torch.ones(rows, 3, dtype=torch.int64).cumsum(0)


print("torch", torch.__version__, "python", platform.python_version())
expected = counts(2)
given = torch.compile(counts, fullgraph=True, dynamic=False)(2)
print("expected (eager) strides:", expected.stride())
print("given strides:", given.stride(), "; elements are right:", torch.equal(expected, given))
try:
    given.add_(1)
except RuntimeError as error:
    print("add_(1):", error)
sys.exit(0 if expected.stride() == given.stride() else 1)
