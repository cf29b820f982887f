"""OpenVINO: infinities of f64 become the largest number of f32."""

import sys

import numpy as np
import onnx.parser
import openvino

MODEL = """<ir_version: 10, opset_import: ["": 21]>
cast (double[2] x) => (float[2] y)
{ y = Cast <to = 1> (x) }"""

core = openvino.Core()
compiled = core.compile_model(core.read_model(onnx.parser.parse_model(MODEL).SerializeToString()), "CPU")
given = compiled([np.array([np.inf, -np.inf])])[0].tolist()
print("openvino", openvino.__version__)
print("expected [inf, -inf], given", given)
sys.exit(0 if given == [np.inf, -np.inf] else 1)
