"""torch.compile (inductor, CPU): a pad whose value is a tensor's item() is refused by its lowering; eager runs it."""

import platform
import sys

import torch

torch._dynamo.config.capture_scalar_outputs = True


def pad(x, value):
    inner = torch.constant_pad_nd(torch.amax(x, (1,)), (7, -2), -4.0)
    return inner, torch.constant_pad_nd(inner, (0, 3), torch.tensor(value.item(), dtype=torch.float64).item())


print("torch", torch.__version__, "python", platform.python_version())
arguments = torch.ones(8, 4, dtype=torch.float64), torch.tensor(-4.0, dtype=torch.float64)
expected = pad(*arguments)
print("expected (eager):", expected[1].tolist())
try:
    given = torch.compile(pad, fullgraph=True, dynamic=False)(*arguments)
except Exception as error:
    print("given:", type(error).__name__, str(error).splitlines()[0])
    sys.exit(1)
print("given:", given[1].tolist())
sys.exit(0 if torch.equal(expected[1], given[1]) else 1)
