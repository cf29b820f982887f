"""OpenVINO: a Reshape behind a reduction with keepdims=0 is removed, though it changes the shape."""

import sys

import numpy as np
import onnx.parser
import openvino

MODEL = """<ir_version: 10, opset_import: ["": 21]>
reduce (float[1, 2, 6] x) => (float[1, 12] y)
<int64[1] axes = {0}, int64[2] shape = {1, 12}>
{
  sum = ReduceSum <keepdims = 0> (x, axes)
  y = Reshape (sum, shape)
}"""

core = openvino.Core()
compiled = core.compile_model(core.read_model(onnx.parser.parse_model(MODEL).SerializeToString()), "CPU")
given = list(compiled([np.ones((1, 2, 6), np.float32)])[0].shape)
print("openvino", openvino.__version__)
print("expected [1, 12], given", given)
sys.exit(0 if given == [1, 12] else 1)
