"""IREE (llvm-cpu): a pad of a pad of an abs does not compile. Needs iree-base-compiler, iree-base-runtime and numpy. Exits 1 while the
bug lives."""

import importlib.metadata
import sys

import iree.compiler
import iree.runtime
import numpy as np

TEXT = """
module @m {
  func.func @main(%a: tensor<2xf32>) -> tensor<13xf32> {
    %b = stablehlo.abs %a : tensor<2xf32>
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %c = stablehlo.pad %b, %one, low = [3], high = [1], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<6xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %d = stablehlo.pad %c, %zero, low = [0], high = [7], interior = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<13xf32>
    return %d : tensor<13xf32>
  }
}
"""


def given():
    try:
        binary = iree.compiler.compile_str(TEXT, target_backends=["llvm-cpu"], input_type="stablehlo",
                                           extra_args=["--iree-llvmcpu-target-cpu=host"])
    except Exception as error:
        return "does not compile: " + next((line for line in str(error).splitlines() if "error" in line), str(error))
    context = iree.runtime.SystemContext(config=iree.runtime.Config("local-sync"))
    context.add_vm_module(iree.runtime.VmModule.copy_buffer(context.instance, binary))
    return np.asarray(context.modules.m.main(np.float32([-2, 3])).to_host()).tolist()


for package in ("iree-base-compiler", "iree-base-runtime"):
    print(package, importlib.metadata.version(package))
result = given()
RIGHT = [1.0] * 3 + [2.0, 3.0, 1.0] + [0.0] * 7
print("expected:", RIGHT)
print("given:   ", result)
sys.exit(0 if result == RIGHT else 1)
