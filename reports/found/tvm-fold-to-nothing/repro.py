"""TVM: a program with a constant without elements compiles, and is not loaded."""

import sys

import onnx.parser
import tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx

MODEL = """<ir_version: 10, opset_import: ["": 21]>
fold () => (float[1, 0] y)
<float one = {1}, int64[2] sizes = {1, 2}, int64[1] zero = {0}, int64[1] axis = {1}>
{
  ones = Expand (one, sizes)
  y = Slice (ones, zero, zero, axis)
}"""

print("tvm", tvm.__version__)
try:
    compiled = tvm.compile(relax.get_pipeline("zero")(from_onnx(onnx.parser.parse_model(MODEL))), tvm.target.Target("llvm"))
    relax.VirtualMachine(compiled, tvm.cpu())
except Exception as error:
    print("expected: it is loaded, given:", type(error).__name__, str(error).splitlines()[0])
    sys.exit(1)
print("it is loaded")
