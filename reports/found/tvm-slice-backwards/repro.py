"""TVM: a Slice whose end is before its start does not compile."""

import sys

import numpy as np
import onnx.parser
import tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx

MODEL = """<ir_version: 10, opset_import: ["": 21]>
slice (float[4] x) => (float[0] y)
<int64[1] start = {3}, int64[1] end = {1}, int64[1] axis = {0}>
{ y = Slice (x, start, end, axis) }"""

print("tvm", tvm.__version__)
try:
    module = from_onnx(onnx.parser.parse_model(MODEL))
    machine = relax.VirtualMachine(tvm.compile(module, tvm.target.Target("llvm")), tvm.cpu())
    given = machine["main"](tvm.runtime.tensor(np.ones(4, np.float32))).numpy().tolist()
except Exception as error:  # of several kinds
    given = f"{type(error).__name__}: {str(error).splitlines()[0]}"
print("expected [], given", given)
sys.exit(0 if given == [] else 1)
