"""ONNX Runtime: ReduceMin and ReduceMax of bool refuse an empty set of values."""

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


def reduced(op, dtype):
    x = helper.make_tensor_value_info("x", dtype, [0])
    y = helper.make_tensor_value_info("y", dtype, [])
    axes = helper.make_tensor("axes", TensorProto.INT64, [1], [0])
    graph = helper.make_graph([helper.make_node(op, ["x", "axes"], ["y"], keepdims=0)], "graph", [x], [y], [axes])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


print("onnxruntime", onnxruntime.__version__, "onnx", onnx.__version__)
largest = np.iinfo(np.int32)
wrong = False
for op, dtype, right in (("ReduceMin", TensorProto.BOOL, True), ("ReduceMax", TensorProto.BOOL, False),
                         ("ReduceMin", TensorProto.INT32, largest.max), ("ReduceMax", TensorProto.INT32, largest.min)):
    numpy_dtype = helper.tensor_dtype_to_np_dtype(dtype)
    try:
        given = session(reduced(op, dtype), onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL).run(
            None, {"x": np.zeros(0, numpy_dtype)})[0].item()
    except Exception as error:
        given = f"{type(error).__name__}: {str(error)[-62:]}"
    wrong |= given != right
    print(f"{op} of {numpy_dtype}: expected {right}, given {given}")
sys.exit(1 if wrong else 0)
