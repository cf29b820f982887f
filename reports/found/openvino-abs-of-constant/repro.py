"""OpenVINO: an Abs of a Clip of a constant keeps the signs."""

import sys

import numpy as np
import onnx.parser
import openvino

MODEL = """<ir_version: 10, opset_import: ["": 21]>
clip (bool b) => (bool c, float[2] y)
<float[2] k = {-3, 1}, float least = {-9}, float most = {9}>
{
  clipped = Clip (k, least, most)
  y = Abs (clipped)
  c = Not (b)
}"""

core = openvino.Core()
model = core.read_model(onnx.parser.parse_model(MODEL).SerializeToString())
given = core.compile_model(model, "CPU")([np.array(False)])[1].tolist()
print("openvino", openvino.__version__)
print("expected [3, 1], given", given)
sys.exit(0 if given == [3, 1] else 1)
