"""TVM: BitwiseOr of a tensor and an extent from Shape is not read."""

import sys

import onnx.parser
import tvm
from tvm.relax.frontend.onnx import from_onnx

MODEL = """<ir_version: 10, opset_import: ["": 21]>
bits (int64[1] x, int64 y) => (int64 z)
<int64[1] axes = {0}>
{
  extents = Shape (x)
  extent = Squeeze (extents, axes)
  z = BitwiseOr (y, extent)
}"""

print("tvm", tvm.__version__)
try:
    tvm.compile(from_onnx(onnx.parser.parse_model(MODEL)), tvm.target.Target("llvm"))
except Exception as error:
    print("expected: it compiles, given:", type(error).__name__, str(error).splitlines()[0])
    sys.exit(1)
print("it compiles")
