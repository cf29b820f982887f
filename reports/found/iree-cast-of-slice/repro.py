"""IREE (llvm-cpu): a cast to bf16 of a slice with a step does not compile. Needs iree-base-compiler, iree-base-runtime and numpy. Exits 1 while the
bug lives."""

import importlib.metadata
import sys

import iree.compiler
import iree.runtime
import numpy as np

TEXT = """
module @m {
  func.func @main(%a: tensor<9537xf16>) -> tensor<1911xbf16> {
    %b = stablehlo.convert %a : (tensor<9537xf16>) -> tensor<9537xf32>
    %c = stablehlo.slice %b [0:3822:2] : (tensor<9537xf32>) -> tensor<1911xf32>
    %d = stablehlo.convert %c : (tensor<1911xf32>) -> tensor<1911xbf16>
    return %d : tensor<1911xbf16>
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
    return np.asarray(context.modules.m.main(np.ones(9537, np.float16)).to_host()).shape


for package in ("iree-base-compiler", "iree-base-runtime"):
    print(package, importlib.metadata.version(package))
result = given()
RIGHT = (1911,)
print("expected:", RIGHT, "bf16")
print("given:   ", result)
sys.exit(0 if result == RIGHT else 1)
