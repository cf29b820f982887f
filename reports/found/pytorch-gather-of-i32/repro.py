"""PyTorch, eager, CPU: torch.gather at int32 indices that are expanded reads the row of the first index everywhere."""

import platform
import sys

import torch

print("torch", torch.__version__, "python", platform.python_version())
x = torch.arange(12.0).reshape(4, 3)
index = torch.tensor([2, 0, 3], dtype=torch.int32).unsqueeze(1).expand(-1, 3)
expected = torch.gather(x, 0, index.to(torch.int64))
given = torch.gather(x, 0, index)
print("expected (int64 indices):", expected.tolist())
print("given:", given.tolist())
print("given for the same indices, contiguous:", torch.gather(x, 0, index.contiguous()).tolist())
sys.exit(0 if torch.equal(expected, given) else 1)
