"""TVM: an Unsqueeze and a Transpose of a tensor without elements do not compile."""

import sys

import onnx.parser
import tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx

MODELS = {
    "Unsqueeze of [0] to [1, 1, 0]": ([0], """<ir_version: 10, opset_import: ["": 21]>
unsqueeze (float[0] x) => (float[1, 1, 0] y)
<int64[2] axes = {0, 1}>
{ y = Unsqueeze (x, axes) }"""),
    "Transpose of [1, 0] to [0, 1]": ([1, 0], """<ir_version: 10, opset_import: ["": 21]>
transpose (float[1, 0] x) => (float[0, 1] y)
{ z = Transpose <perm = [1, 0]> (x)
  y = Abs (z) }"""),
}

print("tvm", tvm.__version__)
fails = 0
for name, (sizes, model) in MODELS.items():
    # Without the dictionary it takes a size of 0 for an unknown one.
    module = from_onnx(onnx.parser.parse_model(model), shape_dict={"x": sizes})
    try:
        tvm.compile(module, tvm.target.Target("llvm"))
        print(f"{name}: compiles")
    except Exception as error:
        fails += 1
        print(f"{name}: expected: it compiles, given: {type(error).__name__}: {str(error).strip().splitlines()[-1]}")
sys.exit(1 if fails else 0)
