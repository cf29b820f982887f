"""TVM: a Reshape to a shape with a 0 does not compile where operators are fused."""

import sys

import onnx.parser
import tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx

MODEL = """<ir_version: 10, opset_import: ["": 21]>
reshape (float[3, 2] x) => (float[0, 6] y)
<int64[2] repeats = {0, 1}, int64[2] shape = {0, 6}>
{
  none = Tile (x, repeats)
  y = Reshape <allowzero = 1> (none, shape)
}"""

print("tvm", tvm.__version__)
module = from_onnx(onnx.parser.parse_model(MODEL))
tvm.compile(module, tvm.target.Target("llvm"))
print("not fused, it compiles")
try:
    tvm.compile(relax.get_pipeline("zero")(module), tvm.target.Target("llvm"))
except tvm.error.InternalError as error:
    print("expected: it compiles, given:", str(error).splitlines()[0])
    sys.exit(1)
print("fused, it compiles")
