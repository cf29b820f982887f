"""XLA (CPU): the minimum of 4096 numbers and a NaN is inf. Needs jaxlib and numpy alone; exits 1 while the bug lives."""

import os
import sys

os.environ["XLA_FLAGS"] = "--xla_cpu_enable_fast_min_max=false"  # it may lose NaN

import numpy as np  # noqa: E402
from jaxlib import version, xla_client as xla  # noqa: E402

MODULE = """
module @fusion {
  func.func @main(%a: tensor<4096xf32>) -> (tensor<f32>, tensor<f32>) {
    %inf = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %least = stablehlo.reduce(%a init: %inf) applies stablehlo.minimum across dimensions = [0] : (tensor<4096xf32>, tensor<f32>) -> tensor<f32>
    %minus = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %most = stablehlo.reduce(%a init: %minus) applies stablehlo.maximum across dimensions = [0] : (tensor<4096xf32>, tensor<f32>) -> tensor<f32>
    return %least, %most : tensor<f32>, tensor<f32>
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
a = np.ones(4096, np.float32)
a[-1] = np.nan
semantics = xla.HostBufferSemantics.IMMUTABLE_ONLY_DURING_CALL
buffer = xla.batched_device_put(Aval(a), sharding_on(device), [a], [device], True, False, semantics, True)
results = executable.execute_sharded([buffer]).disassemble_into_single_device_arrays()
least, most = (result[0]._single_device_array_to_np_array_did_copy()[0] for result in results)
print("jaxlib", version.__version__, "numpy", np.__version__, "Python", sys.version.split()[0])
print("expected of 1, …, 1, NaN: least nan, most nan; given: least", least, "most", most)
sys.exit(0 if np.isnan(least) and np.isnan(most) else 1)
