"""OpenVINO: Softsign is 1 for each number, and NaN for 0, where the processor has no AVX2."""

import os
import sys

os.environ["OV_CPU_MAX_ISA"] = os.environ["ONEDNN_MAX_CPU_ISA"] = "SSE41"

import numpy as np  # noqa: E402
import onnx.parser  # noqa: E402
import openvino  # noqa: E402

MODEL = """<ir_version: 10, opset_import: ["": 21]>
softsign (float[4] x) => (float[4] y)
{ y = Softsign (x) }"""

core = openvino.Core()
model = core.read_model(onnx.parser.parse_model(MODEL).SerializeToString())
given = core.compile_model(model, "CPU")([np.float32([-3, 0, 1, 3])])[0].tolist()
print("openvino", openvino.__version__)
print("expected [-0.75, 0, 0.5, 0.75], given", given)
sys.exit(0 if given == [-0.75, 0, 0.5, 0.75] else 1)
