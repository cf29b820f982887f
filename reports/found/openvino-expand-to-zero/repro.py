"""OpenVINO: Expand of an axis of 1 to 0 keeps the element; Expand beside an axis of 0 ends the process."""

import subprocess
import sys

import numpy as np
import onnx.parser
import openvino


def expand(rows):
    """The shape that a tensor of shape [rows, 1] has after Expand to [0, 3]."""
    model = f"""<ir_version: 10, opset_import: ["": 21]>
expand (float[{rows}, 1] x) => (float[0, 3] y)
<int64[2] shape = {{0, 3}}>
{{ y = Expand (x, shape) }}"""
    core = openvino.Core()
    compiled = core.compile_model(core.read_model(onnx.parser.parse_model(model).SerializeToString()), "CPU")
    return list(compiled([np.ones((rows, 1), np.float32)])[0].shape)


if len(sys.argv) > 1:
    print(expand(int(sys.argv[1])))
    sys.exit(0)
print("openvino", openvino.__version__)
wrong = False
for rows in (1, 0):
    ended = subprocess.run([sys.executable, __file__, str(rows)], capture_output=True, text=True)
    given = ended.stdout.strip() or f"the process ends with signal {-ended.returncode}"
    print(f"[{rows}, 1] expanded to [0, 3]: expected [0, 3], given {given}")
    wrong |= given != "[0, 3]"
sys.exit(1 if wrong else 0)
