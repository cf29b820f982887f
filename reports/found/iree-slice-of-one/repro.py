"""IREE (llvm-cpu): a slice of step 3 that keeps one element, and an operation on it, do not compile. Needs iree-base-compiler,
iree-base-runtime and numpy. Exits 1 while the bug lives."""

import importlib.metadata
import sys

import iree.compiler
import iree.runtime
import numpy as np

TEXT = """
module @m {
  func.func @main(%a: tensor<2x1x1x2xf32>) -> (tensor<2x1x1x2xf32>, tensor<2x1x1x2xf32>) {
    %b = stablehlo.slice %a [0:2, 0:1, 0:1:3, 0:2] : (tensor<2x1x1x2xf32>) -> tensor<2x1x1x2xf32>
    %c = stablehlo.abs %b : tensor<2x1x1x2xf32>
    return %b, %c : tensor<2x1x1x2xf32>, tensor<2x1x1x2xf32>
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
    outputs = context.modules.m.main(np.float32([-2, 3, -4, 5]).reshape(2, 1, 1, 2))
    return [output.to_host().ravel().tolist() for output in outputs]


for package in ("iree-base-compiler", "iree-base-runtime"):
    print(package, importlib.metadata.version(package))
result = given()
RIGHT = [[-2.0, 3.0, -4.0, 5.0], [2.0, 3.0, 4.0, 5.0]]
print("expected:", RIGHT)
print("given:   ", result)
sys.exit(0 if result == RIGHT else 1)
