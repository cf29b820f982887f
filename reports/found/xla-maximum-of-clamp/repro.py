"""XLA (CPU): a maximum behind a clamp whose least is above its most is dropped. Needs jaxlib and numpy alone; exits 1 while the bug lives."""

import sys

import numpy as np
from jaxlib import version, xla_client as xla

MODULE = """
module @fusion {
  func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %half = stablehlo.constant dense<0.5> : tensor<2xf32>
    %eighth = stablehlo.constant dense<0.125> : tensor<2xf32>
    %clamped = stablehlo.clamp %half, %a, %eighth : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %y = stablehlo.maximum %clamped, %half : tensor<2xf32>
    return %y : tensor<2xf32>
  }
}
"""


class Aval:
    def __init__(self, array):
        self.shape, self.dtype, self.ndim, self.size, self.weak_type = array.shape, array.dtype, array.ndim, array.size, False


def sharding_on(device):
    """Before jaxlib 0.11 it is jax that gives it its methods."""
    if hasattr(xla.SingleDeviceSharding, "_to_xla_hlo_sharding"):
        return xla.SingleDeviceSharding(device)

    class Sharding(xla.SingleDeviceSharding):
        memory_kind = None

        def _to_xla_hlo_sharding(self, rank):
            return xla.HloSharding.replicate()

        def is_equivalent_to(self, other, rank):
            return True
    return Sharding(device)


client = xla.make_cpu_client()
device, = client.devices()
executable = client.compile_and_load(MODULE.encode(), xla.DeviceList((device,)), xla.CompileOptions())
a = np.array([0, 1], np.float32)
semantics = xla.HostBufferSemantics.IMMUTABLE_ONLY_DURING_CALL
buffer = xla.batched_device_put(Aval(a), sharding_on(device), [a], [device], True, False, semantics, True)
results = executable.execute_sharded([buffer]).disassemble_into_single_device_arrays()
given = results[0][0]._single_device_array_to_np_array_did_copy()[0]
print("jaxlib", version.__version__, "numpy", np.__version__, "Python", sys.version.split()[0])
print("expected of maximum(clamp(0.5, x, 0.125), 0.5) [0.5 0.5], given", given)
sys.exit(0 if (given == 0.5).all() else 1)
