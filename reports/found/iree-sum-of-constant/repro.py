"""IREE (llvm-cpu): a sum of converted equal constants is one of them. Needs iree-base-compiler, iree-base-runtime and numpy. Exits 1 while the
bug lives."""

import importlib.metadata
import sys

import iree.compiler
import iree.runtime
import numpy as np

TEXT = """
module @m {
  func.func @main() -> (tensor<f32>, tensor<i64>) {
    %four = stablehlo.constant dense<4.0> : tensor<5xf16>
    %wide = stablehlo.convert %four : (tensor<5xf16>) -> tensor<5xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%wide init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
    %true = stablehlo.constant dense<true> : tensor<2xi1>
    %one = stablehlo.convert %true : (tensor<2xi1>) -> tensor<2xi64>
    %none = stablehlo.constant dense<0> : tensor<i64>
    %count = stablehlo.reduce(%one init: %none) applies stablehlo.add across dimensions = [0] : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
    return %sum, %count : tensor<f32>, tensor<i64>
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
    return [float(np.asarray(result.to_host())) for result in context.modules.m.main()]


for package in ("iree-base-compiler", "iree-base-runtime"):
    print(package, importlib.metadata.version(package))
result = given()
RIGHT = [20.0, 2.0]
print("expected:", RIGHT, "= five times 4, two times true")
print("given:   ", result)
sys.exit(0 if result == RIGHT else 1)
