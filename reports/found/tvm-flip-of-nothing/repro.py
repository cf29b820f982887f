"""TVM: a Slice of step -1 of a tensor without elements does not compile."""

import sys

import onnx.parser
import tvm
from tvm.relax.frontend.onnx import from_onnx

MODEL = """<ir_version: 10, opset_import: ["": 21]>
flip (float[0] x) => (float[0] y)
<int64[1] shape = {0}, int64[1] axes = {0}, int64[1] last = {-1}, int64[1] least = {-9223372036854775807}>
{
  same = Reshape <allowzero = 1> (x, shape)
  y = Slice (same, last, least, axes, last)
}"""

print("tvm", tvm.__version__)
try:
    tvm.compile(from_onnx(onnx.parser.parse_model(MODEL)), tvm.target.Target("llvm"))
except Exception as error:
    print("expected: it compiles, given:", type(error).__name__, str(error).splitlines()[0])
    sys.exit(1)
print("it compiles")
