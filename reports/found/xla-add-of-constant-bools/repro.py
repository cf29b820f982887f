"""XLA (CPU): true + true is false where XLA folds it. Needs jaxlib and numpy alone; exits 1 while the bug lives."""

import sys

import numpy as np
from jaxlib import version, xla_client as xla

MODULE = """
module @fusion {
  func.func @main(%a: tensor<2xi64>) -> (tensor<2xi1>, tensor<2xi1>, tensor<i1>) {
    %true = stablehlo.constant dense<true> : tensor<2xi1>
    %constants = stablehlo.add %true, %true : tensor<2xi1>
    %x = stablehlo.compare GE, %a, %a, SIGNED : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
    %folded = stablehlo.add %x, %x : tensor<2xi1>
    %false = stablehlo.constant dense<false> : tensor<i1>
    %all = stablehlo.reduce(%true init: %false) applies stablehlo.add across dimensions = [0] : (tensor<2xi1>, tensor<i1>) -> tensor<i1>
    return %constants, %folded, %all : tensor<2xi1>, tensor<2xi1>, tensor<i1>
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
a = np.array([1, 2])
semantics = xla.HostBufferSemantics.IMMUTABLE_ONLY_DURING_CALL
buffer = xla.batched_device_put(Aval(a), sharding_on(device), [a], [device], True, False, semantics, True)
results = executable.execute_sharded([buffer]).disassemble_into_single_device_arrays()
constants, folded, total = (result[0]._single_device_array_to_np_array_did_copy()[0] for result in results)
print("jaxlib", version.__version__, "numpy", np.__version__, "Python", sys.version.split()[0])
print("expected of true + true, of constants         [True True], given", constants)
print("expected of x + x, x = (a >= a)               [True True], given", folded)
print("expected of the sum of the constants true, true     True, given", total)
sys.exit(0 if constants.all() and folded.all() and total else 1)
