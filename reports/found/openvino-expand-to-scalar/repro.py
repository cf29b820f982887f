"""OpenVINO: Expand of a tensor without axes to the shape [] gives one axis."""

import sys

import numpy as np
import onnx.parser
import openvino

MODEL = """<ir_version: 10, opset_import: ["": 21]>
expand (float x) => (float y)
<int64[0] shape = {}>
{ y = Expand (x, shape) }"""

core = openvino.Core()
compiled = core.compile_model(core.read_model(onnx.parser.parse_model(MODEL).SerializeToString()), "CPU")
given = list(compiled([openvino.Tensor(np.array(3, np.float32))])[0].shape)
print("openvino", openvino.__version__)
print("expected [], given", given)
sys.exit(0 if given == [] else 1)
