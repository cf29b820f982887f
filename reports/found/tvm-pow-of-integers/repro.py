"""TVM: Pow of integers does not compile."""

import sys

import onnx.parser
import tvm
from tvm.relax.frontend.onnx import from_onnx

MODEL = """<ir_version: 10, opset_import: ["": 21]>
pow (int64[2] x) => (int64[2] y)
<int64 three = {3}>
{ y = Pow (x, three) }"""

print("tvm", tvm.__version__)
try:
    tvm.compile(from_onnx(onnx.parser.parse_model(MODEL)), tvm.target.Target("llvm"))
except Exception as error:
    print("expected: it compiles, given:", str(error).strip().splitlines()[-1])
    sys.exit(1)
print("it compiles")
