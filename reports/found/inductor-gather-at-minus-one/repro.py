"""torch.compile (inductor, CPU): gather takes an index of -1 for the last element; eager mode refuses it."""

import platform
import sys

import torch


def element(x, index):
    return torch.gather(x, 0, index)


print("torch", torch.__version__, "python", platform.python_version())
x, index = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([-1])
try:
    print("eager:", element(x, index).tolist())
except Exception as error:
    print("expected (eager):", type(error).__name__, str(error).splitlines()[0])
else:
    sys.exit(0)
try:
    given = torch.compile(element, fullgraph=True, dynamic=False)(x, index)
except Exception as error:
    print("given:", type(error).__name__, str(error).splitlines()[0])
    sys.exit(0)
print("given:", given.tolist())
sys.exit(1)
