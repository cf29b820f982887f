"""IREE (llvm-cpu): a while loop on a number beside an operation on other numbers does not compile. Needs iree-base-compiler,
iree-base-runtime and numpy. Exits 1 while the bug lives."""

import importlib.metadata
import sys

import iree.compiler
import iree.runtime
import numpy as np

TEXT = """
module @m {
  func.func @main(%a: tensor<i8>, %x: tensor<i32>, %y: tensor<i32>) -> (tensor<i1>, tensor<i8>) {
    %zero = stablehlo.constant dense<0> : tensor<i8>
    %ge = stablehlo.compare GE, %x, %y, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %b = stablehlo.abs %a : tensor<i8>
    %c:2 = stablehlo.while(%p = %b, %q = %b) : tensor<i8>, tensor<i8>
     cond {
      %left = stablehlo.compare NE, %q, %zero, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
      stablehlo.return %left : tensor<i1>
    } do {
      %rest = stablehlo.remainder %p, %q : tensor<i8>
      stablehlo.return %q, %rest : tensor<i8>, tensor<i8>
    }
    %d = stablehlo.multiply %c#0, %b : tensor<i8>
    return %ge, %d : tensor<i1>, tensor<i8>
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
    return [output.to_host().item() for output in context.modules.m.main(np.int8(-3), np.int32(2), np.int32(1))]


for package in ("iree-base-compiler", "iree-base-runtime"):
    print(package, importlib.metadata.version(package))
result = given()
RIGHT = [1, 9]
print("expected:", RIGHT)
print("given:   ", result)
sys.exit(0 if result == RIGHT else 1)
