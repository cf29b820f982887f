"""TVM: Shape of ONNX, as an output of the model, is no tensor."""

import sys

import numpy as np
import onnx.parser
import tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx

MODEL = """<ir_version: 10, opset_import: ["": 21]>
shape (float[2, 3] x) => (int64[2] y)
{ y = Shape (x) }"""

print("tvm", tvm.__version__)
try:
    module = from_onnx(onnx.parser.parse_model(MODEL))
    machine = relax.VirtualMachine(tvm.compile(module, tvm.target.Target("llvm")), tvm.cpu())
    given = machine["main"](tvm.runtime.tensor(np.ones((2, 3), np.float32))).numpy().tolist()
except Exception as error:  # of several kinds
    given = f"{type(error).__name__}: {str(error).splitlines()[0]}"
print("expected [2, 3], given", given)
sys.exit(0 if given == [2, 3] else 1)
