"""ONNX Runtime: ExpandElimination removes an Expand of 1 to 0, and its input's elements come out."""

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


def expand_then(op):
    """Expand [1, 3] to [0, 3], then one more op."""
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    constants = [helper.make_tensor("shape", TensorProto.INT64, [2], [0, 3]),
                 helper.make_tensor("rows", TensorProto.INT64, [1], [0])]
    last = (helper.make_node("ReduceSum", ["e", "rows"], ["y"], keepdims=0) if op == "ReduceSum"
            else helper.make_node("Abs", ["e"], ["y"]))
    nodes = [helper.make_node("Abs", ["x"], ["a"]), helper.make_node("Expand", ["a", "shape"], ["e"]), last]
    graph = helper.make_graph(nodes, "graph", [x], [y], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


print("onnxruntime", onnxruntime.__version__, "onnx", onnx.__version__)
expected = {"Abs": np.zeros((0, 3), np.float32), "ReduceSum": np.zeros(3, np.float32)}
wrong = False
for op, right in expected.items():
    for level in ("ORT_ENABLE_ALL", "ORT_ENABLE_BASIC", "ORT_DISABLE_ALL"):
        given, = session(expand_then(op), getattr(onnxruntime.GraphOptimizationLevel, level)).run(
            None, {"x": np.ones((1, 3), np.float32)})
        same = given.shape == right.shape and np.array_equal(given, right)
        wrong |= not same
        print(f"Expand, {op}, {level}: expected {right.shape} {right.tolist()}, given {given.shape} {given.tolist()}")
sys.exit(1 if wrong else 0)
