"""OpenVINO: NaN becomes false, and is greater than each number."""

import sys

import numpy as np
import onnx.parser
import openvino

MODEL = """<ir_version: 10, opset_import: ["": 21]>
nan (float[2] x, float[2] y) => (bool[2] truth, bool[2] greater, bool[2] or_equal)
{
  truth = Cast <to = 9> (x)
  greater = Greater (x, y)
  or_equal = GreaterOrEqual (x, y)
}"""

core = openvino.Core()
compiled = core.compile_model(core.read_model(onnx.parser.parse_model(MODEL).SerializeToString()), "CPU")
given = compiled([np.float32([np.nan, 0]), np.float32([0, 1])])
print("openvino", openvino.__version__)
wrong = False
for index, (name, expected) in enumerate([("Cast to bool", [True, False]), ("Greater", [False, False]),
                                          ("GreaterOrEqual", [False, False])]):
    print(f"{name}: expected {expected}, given {given[index].tolist()}")
    wrong |= given[index].tolist() != expected
sys.exit(1 if wrong else 0)
