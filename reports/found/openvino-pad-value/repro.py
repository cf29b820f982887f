"""OpenVINO: Pad with a constant_value that is no constant of the model pads with 0."""

import sys

import numpy as np
import onnx.parser
import openvino

MODEL = """<ir_version: 10, opset_import: ["": 21]>
pad (float[1] x, float value) => (float[3] y)
<int64[2] pads = {0, 2}>
{ y = Pad (x, pads, value) }"""

core = openvino.Core()
model = core.read_model(onnx.parser.parse_model(MODEL).SerializeToString())
x, value = np.float32([7]), np.array(2, np.float32)
given = core.compile_model(model, "CPU")([openvino.Tensor(x), openvino.Tensor(value)])[0]
result = openvino.Tensor(openvino.Type.f32, openvino.Shape([3]))
model.evaluate([result], [openvino.Tensor(x), openvino.Tensor(value)])
print("openvino", openvino.__version__)
print("expected [7, 2, 2], given", given.tolist(), "and by the reference implementation", result.data.tolist())
sys.exit(0 if given.tolist() == [7, 2, 2] else 1)
