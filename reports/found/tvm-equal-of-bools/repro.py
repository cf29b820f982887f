"""TVM: Equal of bools does not compile."""

import sys

import numpy as np
import onnx.parser
import tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx

MODEL = """<ir_version: 10, opset_import: ["": 21]>
equal (bool[2] x, bool[2] y) => (bool[2] z)
{ z = Equal (x, y) }"""

print("tvm", tvm.__version__)
try:
    module = from_onnx(onnx.parser.parse_model(MODEL))
    machine = relax.VirtualMachine(tvm.compile(module, tvm.target.Target("llvm")), tvm.cpu())
    given = machine["main"](tvm.runtime.tensor(np.array([True, False])), tvm.runtime.tensor(np.array([True, True]))).numpy().tolist()
except Exception as error:  # of several kinds
    given = f"{type(error).__name__}: {' '.join(str(error).split())[:120]}"
print("expected [True, False], given", given)
sys.exit(0 if given == [True, False] else 1)
