"""TVM: Max of a tensor without elements and a number is not read."""

import sys

import numpy as np
import onnx.parser
import tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx

MODEL = """<ir_version: 10, opset_import: ["": 21]>
max (float[0] x, float v) => (float[0] y)
{ y = Max (x, v) }"""

print("tvm", tvm.__version__)
try:
    module = from_onnx(onnx.parser.parse_model(MODEL), shape_dict={"x": [0], "v": []})
    machine = relax.VirtualMachine(tvm.compile(module, tvm.target.Target("llvm")), tvm.cpu())
    given = machine["main"](tvm.runtime.tensor(np.ones(0, np.float32)), tvm.runtime.tensor(np.array(3, np.float32))).numpy().tolist()
except Exception as error:  # of several kinds
    given = f"{type(error).__name__}: {str(error).splitlines()[0]}"
print("expected [], given", given)
sys.exit(0 if given == [] else 1)
