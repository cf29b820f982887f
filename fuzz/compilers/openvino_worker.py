"""openvino_worker.py VIEW: runs exported models (fuserfuzz export --to=onnx) on OpenVINO.

  openvino, without-snippets   its CPU plugin: as it is, without the code that it generates for whole subgraphs
  sse41, avx2                  its CPU plugin, with kernels for older processors
  reference                    what OpenVINO folds constants with: a reference implementation of each operation, without a plugin

A switch is an operator of ONNX, which then runs in ONNX's interpreter.
"""

import os
import re
import sys

from worker_protocol import COMPILE_ERROR, RUN_ERROR, UNSUPPORTED, error_text
from onnx_models import Failed, Guarded, check_inputs, check_second_run, has_declared_shapes, operators_of, run_in_parts, serve_models

VIEW = sys.argv[1]
PROCESSORS = {"sse41": "SSE41", "avx2": "AVX2"}
if VIEW in PROCESSORS:  # of the plugin's kernels, and of oneDNN's
    os.environ["OV_CPU_MAX_ISA"] = os.environ["ONEDNN_MAX_CPU_ISA"] = PROCESSORS[VIEW]

import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
import openvino  # noqa: E402

PROPERTIES = {"INFERENCE_PRECISION_HINT": "f32", "EXECUTION_MODE_HINT": "ACCURACY", "INFERENCE_NUM_THREADS": 1}
WITHOUT_SNIPPETS = {"SNIPPETS_MODE": "DISABLE"}


def tensor_of(array):
    is_bf16 = array.dtype == ml_dtypes.bfloat16
    tensor = openvino.Tensor(openvino.Type.bf16 if is_bf16 else openvino.Type(array.dtype), openvino.Shape(array.shape))
    elements_of(tensor)[...] = array.view(np.uint16) if is_bf16 else array
    return tensor


def tensor_in(array):
    """In the array's memory."""
    if array.dtype == ml_dtypes.bfloat16:
        return openvino.Tensor(array.view(np.uint16), openvino.Shape(array.shape), openvino.Type.bf16)
    return openvino.Tensor(array, shared_memory=True)


def elements_of(tensor):
    """numpy has no bf16: its bits."""
    return tensor.data.view(np.uint16) if tensor.element_type == openvino.Type.bf16 else tensor.data


def of_input(value, tensors):
    """OpenVINO drops inputs that nothing reads, and may give others further names."""
    return next(tensors[name] for name in value.names if name in tensors)


def array_of(tensor):
    elements = elements_of(tensor).copy()
    return elements.view(ml_dtypes.bfloat16) if tensor.element_type == openvino.Type.bf16 else elements


class Plugin:
    """The CPU plugin."""

    def __init__(self, core, properties):
        self.core, self.properties = core, properties

    def compile(self, model):
        return self.core.compile_model(model, "CPU", self.properties)

    def run(self, model, compiled, tensors):
        request = compiled.create_infer_request()
        given = {name: array_of(tensor) for name, tensor in tensors.items()}
        for index, value in enumerate(compiled.inputs):
            request.set_input_tensor(index, of_input(value, tensors))
        request.infer()
        results = [array_of(request.get_output_tensor(index)) for index in range(len(compiled.outputs))]
        if has_declared_shapes(model, results):
            self.run_again(compiled, request, results)
        check_inputs({name: elements_of(tensor) for name, tensor in tensors.items()}, given)
        return results

    def run_again(self, compiled, request, results):
        again = [Guarded(array) for array in results]
        for index, guarded in enumerate(again):
            request.set_output_tensor(index, tensor_in(guarded.array))
        request.infer()
        check_second_run([value.any_name for value in compiled.outputs], results, again)


class Implementations:
    """The operations' reference implementations."""

    def compile(self, read):
        return read

    def run(self, model, read, tensors):
        results = [openvino.Tensor(result.element_type, result.shape) for result in read.outputs]
        read.evaluate(results, [of_input(value, tensors) for value in read.inputs])
        return [array_of(result) for result in results]


class OpenVino:
    version = f"openvino {openvino.__version__.split('-')[0]}"

    def __init__(self):
        self.core = openvino.Core()
        self.way = Implementations() if VIEW == "reference" else Plugin(
            self.core, PROPERTIES | (WITHOUT_SNIPPETS if VIEW == "without-snippets" else {}))

    def run(self, model, arrays, off):
        return run_in_parts(model, arrays, off, self.run_part) if off else self.run_part(model, arrays)

    def run_part(self, model, arrays):
        try:
            compiled = self.way.compile(self.core.read_model(model.SerializeToString()))
        except Exception as error:
            raise failure(COMPILE_ERROR, error) from error
        try:
            return self.way.run(model, compiled, {name: tensor_of(array) for name, array in arrays.items()})
        except Failed:
            raise
        except Exception as error:
            raise failure(RUN_ERROR, error) from error

    def switches(self, model):
        return operators_of(model)

    def decisions(self, model):
        """Layers of the compiled model with their kernels, and what was fused into each."""
        compiled = self.way.compile(self.core.read_model(model.SerializeToString()))
        types, found = {node.name: node.op_type for node in model.graph.node}, set()
        for layer in compiled.get_runtime_model().get_ordered_ops():
            told = {key: layer.rt_info[key].astype(str) for key in ("layerType", "primitiveType", "originalLayersNames") if key in layer.rt_info}
            kind = told.get("layerType", "layer")
            found.add(f"kernel {kind} {told.get('primitiveType', '')}".strip())
            found.update(f"fused {types[name]} into {kind}" for name in told.get("originalLayersNames", "").split(",") if name in types)
        return found


# What OpenVINO says that it does not have.
LACKS = re.compile(r"does not support the following ONNX operations|Evaluation failed on|[Nn]ot implemented|"
                   r"(?:is|are)(?:n't| not) supported|does(?:n't| not) support|[Uu]nsupported")


def failure(kind, error):
    """In one line, without places in its sources, failed conditions, shapes and the names of nodes."""
    lines = [line for line in error_text(error).splitlines() if line.strip() and not line.startswith("Exception from ")]
    text = " ".join(line.strip() for line in lines).replace("RuntimeError: Exception from", "")
    text = re.sub(r"\bsrc/[\w/.]+:\d+:?", "", text)
    text = re.sub(r"Check '.*?' failed at +(?=\S)", "", text)  # what follows says it in words
    text = re.sub(r"node '(\w+::\w+) .*?' with friendly_name '[^']*'", r"\1", text)
    text = re.sub(r"(Evaluation failed on \w+::\w+) \S+ \(.*", r"\1", text)
    return Failed(UNSUPPORTED if LACKS.search(text) else kind, re.sub(r" +", " ", text).strip())


serve_models(OpenVino(), merges=True)
