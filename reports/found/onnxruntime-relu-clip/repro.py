"""ONNX Runtime: FuseReluClip throws for Relu and Clip of other dtypes than float and float16."""

import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper


def session(model, level):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    options.graph_optimization_level = level
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def relu_then_clip(dtype):
    x = helper.make_tensor_value_info("x", dtype, [2])
    y = helper.make_tensor_value_info("y", dtype, [2])
    bounds = [helper.make_tensor("low", dtype, [], [0]), helper.make_tensor("high", dtype, [], [6])]
    nodes = [helper.make_node("Relu", ["x"], ["r"]), helper.make_node("Clip", ["r", "low", "high"], ["y"])]
    graph = helper.make_graph(nodes, "graph", [x], [y], bounds)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


print("onnxruntime", onnxruntime.__version__, "onnx", onnx.__version__)
wrong = False
for dtype in (TensorProto.DOUBLE, TensorProto.INT32, TensorProto.INT8):
    numpy_dtype = helper.tensor_dtype_to_np_dtype(dtype)
    for level in ("ORT_ENABLE_ALL", "ORT_DISABLE_ALL"):
        try:
            given = session(relu_then_clip(dtype), getattr(onnxruntime.GraphOptimizationLevel, level)).run(
                None, {"x": np.array([-1, 9], numpy_dtype)})[0].tolist()
        except Exception as error:
            given = f"{type(error).__name__}: {str(error)[-60:]}"
        wrong |= given != [0, 6]
        print(f"{numpy_dtype} {level}: expected [0, 6], given {given}")
sys.exit(1 if wrong else 0)
