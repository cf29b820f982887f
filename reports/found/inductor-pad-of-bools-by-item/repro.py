"""torch.compile (inductor, CPU): a pad of booleans by a tensor's item() is refused by its lowering; eager runs it."""

import platform
import sys

import torch

torch._dynamo.config.capture_scalar_outputs = True


def pad(x, value):
    return torch.constant_pad_nd(x, (1, 0), value.item())


print("torch", torch.__version__, "python", platform.python_version())
arguments = torch.ones(3, dtype=torch.bool), torch.tensor(True)
expected = pad(*arguments)
print("expected (eager):", expected.tolist())
try:
    given = torch.compile(pad, fullgraph=True, dynamic=False)(*arguments)
except Exception as error:
    print("given:", type(error).__name__, str(error).splitlines()[0])
    sys.exit(1)
print("given:", given.tolist())
sys.exit(0 if torch.equal(expected, given) else 1)
