"""torch.compile (inductor, CPU): slice_scatter at a tensor's item() does not compile; eager runs it."""

import platform
import sys

import torch

torch._dynamo.config.capture_scalar_outputs = True


def put(x, start):
    first = start.item()
    rows = x[first : x.size(0)] + 1
    return torch.slice_scatter(x, rows, 0, first, x.size(0), 1)


print("torch", torch.__version__, "python", platform.python_version())
arguments = torch.zeros(8, 3), torch.tensor(7)
expected = put(*arguments)
print("expected (eager):", expected[-1].tolist())
try:
    given = torch.compile(put, fullgraph=True, dynamic=False)(*arguments)
except Exception as error:
    print("given:", type(error).__name__, str(error).splitlines()[0])
    sys.exit(1)
print("given:", given[-1].tolist())
sys.exit(0 if torch.equal(expected, given) else 1)
