"""IREE (llvm-cpu): stablehlo.reverse of a tensor without axes does not compile. Needs iree-base-compiler, iree-base-runtime and numpy. Exits 1 while the
bug lives."""

import importlib.metadata
import sys

import iree.compiler
import iree.runtime
import numpy as np

TEXT = """
module @m {
  func.func @main(%a: tensor<f32>) -> tensor<f32> {
    %r = stablehlo.reverse %a, dims = [] : tensor<f32>
    return %r : tensor<f32>
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
    return float(np.asarray(context.modules.m.main(np.float32(5.5)).to_host()))


for package in ("iree-base-compiler", "iree-base-runtime"):
    print(package, importlib.metadata.version(package))
result = given()
print("expected: 5.5, the operand")
print("given:   ", result)
sys.exit(0 if result == 5.5 else 1)
