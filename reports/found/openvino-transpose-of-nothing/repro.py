"""OpenVINO: a Transpose of a tensor without elements has an element."""

import sys

import numpy as np
import onnx.parser
import openvino

MODEL = """<ir_version: 10, opset_import: ["": 21]>
transpose (float[1, 0] x) => (float[0, 1] y)
{ y = Transpose <perm = [1, 0]> (x) }"""

core = openvino.Core()
compiled = core.compile_model(core.read_model(onnx.parser.parse_model(MODEL).SerializeToString()), "CPU")
given = list(compiled([np.ones((1, 0), np.float32)])[0].shape)
print("openvino", openvino.__version__)
print("expected [0, 1], given", given)
sys.exit(0 if given == [0, 1] else 1)
