"""OpenVINO: Div of constant integers rounds down; ONNX's Div truncates, and so does OpenVINO's own kernel."""

import sys

import numpy as np
import onnx.parser
import openvino

MODELS = {
    "constants": """<ir_version: 10, opset_import: ["": 21]>
div () => (int64 y)
<int64 a = {7}, int64 b = {-3}>
{ y = Div (a, b) }""",
    "inputs": """<ir_version: 10, opset_import: ["": 21]>
div (int64 a, int64 b) => (int64 y)
{ y = Div (a, b) }"""}

core = openvino.Core()
given = {}
for name, text in MODELS.items():
    compiled = core.compile_model(core.read_model(onnx.parser.parse_model(text).SerializeToString()), "CPU")
    given[name] = int(compiled([np.array(7), np.array(-3)] if name == "inputs" else [])[0])
print("openvino", openvino.__version__)
print("7 / -3: expected -2, given", given)
sys.exit(0 if set(given.values()) == {-2} else 1)
