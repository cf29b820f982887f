"""TVM: Pad of ONNX with a constant_value that is no constant of the model does not compile."""

import sys

import onnx.parser
import tvm
from tvm.relax.frontend.onnx import from_onnx

MODEL = """<ir_version: 10, opset_import: ["": 21]>
pad (float[1] x, float value) => (float[3] y)
<int64[2] pads = {0, 2}>
{ y = Pad (x, pads, value) }"""

print("tvm", tvm.__version__)
try:
    from_onnx(onnx.parser.parse_model(MODEL))
except AttributeError as error:
    print("expected: it is read, given:", error)
    sys.exit(1)
print("it is read")
