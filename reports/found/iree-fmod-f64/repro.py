"""IREE (llvm-cpu): stablehlo.remainder of f64 does not compile. Needs iree-base-compiler, iree-base-runtime and numpy. Exits 1 while the
bug lives."""

import importlib.metadata
import sys

import iree.compiler
import iree.runtime
import numpy as np

TEXT = """
module @m {
  func.func @main(%a: tensor<f64>, %b: tensor<f64>) -> tensor<f64> {
    %r = stablehlo.remainder %a, %b : tensor<f64>
    return %r : tensor<f64>
  }
}
"""


def given():
    try:
        binary = iree.compiler.compile_str(TEXT, target_backends=["llvm-cpu"], input_type="stablehlo",
                                           extra_args=["--iree-llvmcpu-target-cpu=host", "--iree-input-demote-f64-to-f32=false"])
    except Exception as error:
        return "does not compile: " + next((line for line in str(error).splitlines() if "error" in line), str(error))
    context = iree.runtime.SystemContext(config=iree.runtime.Config("local-sync"))
    context.add_vm_module(iree.runtime.VmModule.copy_buffer(context.instance, binary))
    return float(np.asarray(context.modules.m.main(np.array(5.5), np.array(2.0)).to_host()))


for package in ("iree-base-compiler", "iree-base-runtime"):
    print(package, importlib.metadata.version(package))
result = given()
print("expected: 1.5, the remainder of 5.5 and 2.0")
print("given:   ", result)
sys.exit(0 if result == 1.5 else 1)
