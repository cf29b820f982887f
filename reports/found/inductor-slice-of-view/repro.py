"""torch.compile (inductor, CPU): a slice of a cat by a number that a tensor gives does not compile. Exits 1 while the bug lives."""

import sys

import torch
import torch._dynamo.config

torch._dynamo.config.capture_scalar_outputs = True


def program(x, n):
    both = torch.cat((x, x))
    return both[0:n.item()], torch.clamp(both, min=-1.0)


x, n = torch.arange(8.0), torch.tensor(3)
expected = program(x, n)[0]
print("torch", torch.__version__)
print("expected:", expected)
try:
    given = torch.compile(program, fullgraph=True)(x, n)[0]
except Exception as error:
    print("given:   ", f"{type(error).__name__}: {str(error).splitlines()[0]}")
    sys.exit(1)
print("given:   ", given)
sys.exit(0 if torch.equal(given, expected) else 1)
