"""OpenVINO: a reduction of integers of rank 3 that an elementwise operator follows is right in its first elements alone."""

import sys

import numpy as np
import onnx.parser
import openvino

MODEL = """<ir_version: 10, opset_import: ["": 21]>
reduce (int32[4, 1, 1] x) => (int32[4, 1, 1] y)
<int64[1] axes = {2}, int32 two = {2}>
{
  sum = ReduceSum (x, axes)
  y = Mul (sum, two)
}"""

core = openvino.Core()
model = core.read_model(onnx.parser.parse_model(MODEL).SerializeToString())
x = np.int32([2, 3, 4, 5]).reshape(4, 1, 1)
given = core.compile_model(model, "CPU")([x])[0].reshape(-1).tolist()
result = openvino.Tensor(openvino.Type.i32, openvino.Shape([4, 1, 1]))
model.evaluate([result], [openvino.Tensor(x)])
print("openvino", openvino.__version__)
print("expected [4, 6, 8, 10], given", given, "and by the reference implementation", result.data.reshape(-1).tolist())
sys.exit(0 if given == [4, 6, 8, 10] else 1)
