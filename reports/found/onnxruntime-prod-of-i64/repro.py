"""ONNX Runtime: ReduceProd of i64 rounds its result to f64."""

import math
import sys

import numpy as np
import onnx
import onnx.parser
import onnxruntime

MODEL = """<ir_version: 10, opset_import: ["": 21]>
prod (int64[7] x) => (int64 y)
<int64[1] axes = {0}>
{ y = ReduceProd <keepdims = 0> (x, axes) }"""
NUMBERS = [546, -412, -434, 351, 534, 532, -875]

options = onnxruntime.SessionOptions()
options.log_severity_level = 4
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
session = onnxruntime.InferenceSession(onnx.parser.parse_model(MODEL).SerializeToString(), options,
                                       providers=["CPUExecutionProvider"])
given = int(session.run(None, {"x": np.array(NUMBERS, np.int64)})[0])
expected = math.prod(NUMBERS)  # below 2^63
print("onnxruntime", onnxruntime.__version__, "onnx", onnx.__version__)
print("expected", expected, "given", given, "as f64:", int(float(expected)))
sys.exit(0 if given == expected else 1)
