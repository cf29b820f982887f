"""IREE (llvm-cpu): stablehlo.add of booleans is exclusive or: true + true is false. Needs iree-base-compiler, iree-base-runtime and numpy. Exits 1 while the
bug lives."""

import importlib.metadata
import sys

import iree.compiler
import iree.runtime
import numpy as np

TEXT = """
module @m {
  func.func @main(%a: tensor<4xi1>, %b: tensor<4xi1>) -> tensor<4xi1> {
    %r = stablehlo.add %a, %b : tensor<4xi1>
    return %r : tensor<4xi1>
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
    a, b = np.array([False, False, True, True]), np.array([False, True, False, True])
    return np.asarray(context.modules.m.main(a, b).to_host()).astype(bool).tolist()


for package in ("iree-base-compiler", "iree-base-runtime"):
    print(package, importlib.metadata.version(package))
result = given()
RIGHT = [False, True, True, True]
print("expected:", RIGHT, "of [False, False, True, True] + [False, True, False, True]")
print("given:   ", result)
sys.exit(0 if result == RIGHT else 1)
