"""ONNX Runtime: NotWhereFusion removes a Not that its Where reads as data, too."""

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


def where(condition, a, b):
    """Not, then a Where of its result."""
    values = [helper.make_tensor_value_info(name, TensorProto.BOOL, [2]) for name in ("c", "d", "y")]
    nodes = [helper.make_node("Not", ["c"], ["n"]), helper.make_node("Where", [condition, a, b], ["y"])]
    graph = helper.make_graph(nodes, "graph", values[:2], values[2:])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


print("onnxruntime", onnxruntime.__version__, "onnx", onnx.__version__)
wrong = False
for level in ("ORT_ENABLE_ALL", "ORT_ENABLE_BASIC", "ORT_DISABLE_ALL"):
    try:
        given = session(where("n", "n", "d"), getattr(onnxruntime.GraphOptimizationLevel, level)).run(
            None, {"c": np.array([True, False]), "d": np.array([True, False])})[0].tolist()
    except Exception as error:
        given = f"{type(error).__name__}: {error}"
    # No kernel for the dtype would be a refusal; a model that an optimiser made invalid is the bug.
    wrong |= "Invalid model" in str(given)
    print(f"{level}: expected [True, True] or NotImplemented, given {given}")
sys.exit(1 if wrong else 0)
