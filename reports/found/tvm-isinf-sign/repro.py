"""TVM: IsInf of ONNX ignores detect_negative and detect_positive."""

import sys

import numpy as np
import onnx.parser
import tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx

MODEL = """<ir_version: 10, opset_import: ["": 21]>
infinities (float[3] x) => (bool[3] negative, bool[3] positive)
{
  negative = IsInf <detect_positive = 0> (x)
  positive = IsInf <detect_negative = 0> (x)
}"""

module = from_onnx(onnx.parser.parse_model(MODEL))
machine = relax.VirtualMachine(tvm.compile(module, tvm.target.Target("llvm")), tvm.cpu())
given = [result.numpy().tolist() for result in machine["main"](tvm.runtime.tensor(np.float32([-np.inf, np.inf, 1])))]
expected = [[True, False, False], [False, True, False]]
print("tvm", tvm.__version__)
print("expected", expected, "given", given)
sys.exit(0 if given == expected else 1)
