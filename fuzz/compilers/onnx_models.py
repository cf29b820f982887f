"""What the workers share that run ONNX models: their inputs and outputs, models in parts and in one, and the answer to a
request."""

import itertools
import time

from worker_protocol import (BF16, BOOL, F8E4M3FN, F8E5M2, F16, F32, F64, I8, I16, I32, I64, OK, RUN_ERROR, U8, U16, U32, Answer,
                             error_text, output, serve, told)

import ml_dtypes
import numpy as np
import onnx
import onnx.compose
import onnx.parser

TYPES = [  # onnx.TensorProto's number, numpy's dtype, the protocol's number, our name
    (11, np.float64, F64, "f64"), (1, np.float32, F32, "f32"), (10, np.float16, F16, "f16"),
    (16, ml_dtypes.bfloat16, BF16, "bf16"), (7, np.int64, I64, "i64"), (6, np.int32, I32, "i32"), (3, np.int8, I8, "i8"),
    (9, np.bool_, BOOL, "bool"), (5, np.int16, I16, "i16"), (2, np.uint8, U8, "u8"), (4, np.uint16, U16, "u16"),
    (12, np.uint32, U32, "u32"), (17, ml_dtypes.float8_e4m3fn, F8E4M3FN, "f8e4m3fn"),
    (19, ml_dtypes.float8_e5m2, F8E5M2, "f8e5m2")]
NUMPY = {number: np.dtype(dtype) for number, dtype, _, _ in TYPES}
NUMBERS = {np.dtype(dtype): number for _, dtype, number, _ in TYPES}
NAMES = {number: name for number, _, _, name in TYPES}
# Dtypes that numpy does not have: their numbers in ONNX.
EXTENSIONS = {np.dtype(dtype): number for number, dtype, _, _ in TYPES if np.dtype(dtype).isbuiltin != 1}


class Failed(Exception):
    """A program's end: the kind of the answer and its text."""


def inputs_of(model, data):
    """(name, array) of each."""
    at = 0
    for value in model.graph.input:
        tensor = value.type.tensor_type
        dtype, sizes = NUMPY[tensor.elem_type], [dim.dim_value for dim in tensor.shape.dim]
        count = 1
        for size in sizes:
            count *= size
        yield value.name, np.frombuffer(data, dtype, count, at).reshape(sizes)
        at += count * dtype.itemsize
    assert at == len(data), f"{len(data) - at} bytes are of no input"


GUARD, GUARD_BYTE = 64, 0xA5


class Guarded:
    """Memory for an array like another one, between bytes that nobody may write."""

    def __init__(self, like):
        self.memory = np.full(like.nbytes + 3 * GUARD, GUARD_BYTE, np.uint8)
        start = GUARD - self.memory.ctypes.data % GUARD + GUARD  # aligned
        self.outside = (self.memory[:start], self.memory[start + like.nbytes:])
        self.array = self.memory[start:start + like.nbytes].view(like.dtype).reshape(like.shape)

    def is_whole(self):
        return all((part == GUARD_BYTE).all() for part in self.outside)


def check_second_run(names, outputs, again):
    """The same compiled model runs twice, the second time into memory of ours, a Guarded for each output: it gives the same
    bits, and writes nothing else."""
    for name, first, second in zip(names, outputs, again):
        if not second.is_whole():
            raise Failed(RUN_ERROR, f"it writes outside the output {name}")
        if first.tobytes() != second.array.tobytes():
            raise Failed(RUN_ERROR, f"the same compiled model gives other bits when it runs again: {name}")


def has_declared_shapes(model, outputs):
    """A wrong shape has no place in memory of ours: the judge says so."""
    return all([dim.dim_value for dim in value.type.tensor_type.shape.dim] == list(array.shape)
               for value, array in zip(model.graph.output, outputs))


def check_inputs(inputs, given):
    """inputs: the arrays that the model had in its hands, by name; given: what they held."""
    for name, array in inputs.items():
        if array.tobytes() != given[name].tobytes():
            raise Failed(RUN_ERROR, f"it writes its input {name}")


def packed(array):
    array = np.asarray(array)
    if array.dtype not in NUMBERS:
        raise Failed(RUN_ERROR, f"an output has the dtype {array.dtype}")
    strides = [stride // array.itemsize for stride in array.strides]
    return output(NUMBERS[array.dtype], array.shape, strides, np.ascontiguousarray(array).tobytes())


def interpreted(model, arrays):
    """By ONNX's own interpreter."""
    from onnx.reference import ReferenceEvaluator
    try:
        return ReferenceEvaluator(model).run(None, arrays)
    except Exception as error:  # of any kind: the interpreter's
        raise Failed(RUN_ERROR, error_text(error)) from error


def part_of(model, nodes, inputs, outputs):
    """A model of these nodes."""
    helper, graph = onnx.helper, model.graph
    read = {name for node in nodes for name in node.input}
    types = {value.name: value for values in (graph.input, graph.value_info, graph.output) for value in values}
    return helper.make_model(
        helper.make_graph(nodes, graph.name, [types[name] for name in inputs], [types[name] for name in outputs],
                          [constant for constant in graph.initializer if constant.name in read]),
        opset_imports=model.opset_import, ir_version=model.ir_version)


def run_in_parts(model, arrays, off, run):
    """The outputs, where operators that are off run in ONNX's interpreter and what is between them in run(model, arrays)."""
    model = onnx.shape_inference.infer_shapes(model)
    values, outputs = dict(arrays), [value.name for value in model.graph.output]
    parts = [(is_off, list(nodes)) for is_off, nodes in itertools.groupby(model.graph.node, lambda node: node.op_type in off)]
    for index, (is_off, nodes) in enumerate(parts):
        later = {name for _, others in parts[index + 1:] for node in others for name in node.input} | set(outputs)
        read = dict.fromkeys(name for node in nodes for name in node.input if name in values)
        made = [name for node in nodes for name in node.output if name in later]
        if made:
            part = part_of(model, nodes, read, made)
            values.update(zip(made, (interpreted if is_off else run)(part, {name: values[name] for name in read})))
    return [values[name] for name in outputs]


def operators_of(model):
    return list(dict.fromkeys(node.op_type for node in model.graph.node))


def model_of(program):
    model = onnx.parser.parse_model(program.text)
    for node in model.graph.node:
        node.name = node.output[0]
    return model


def in_one(models):
    """A model with the nodes of all; the names of each begin with its number."""
    whole = onnx.ModelProto()
    whole.CopyFrom(onnx.compose.add_prefix(models[0], "0."))
    for number, model in enumerate(models[1:], 1):
        graph = onnx.compose.add_prefix(model, f"{number}.").graph
        for field in ("node", "initializer", "input", "output", "value_info"):
            getattr(whole.graph, field).extend(getattr(graph, field))
    return whole


def together(target, requests):
    """The answers, from one compilation of all programs; None where it fails."""
    models = [[model_of(program) for program in request.programs] for request in requests]
    arrays = {f"{number}.{name}": array
              for number, (model, program) in enumerate(
                  zip(itertools.chain(*models), (program for request in requests for program in request.programs)))
              for name, array in inputs_of(model, program.data)}
    start = time.perf_counter()
    try:
        outputs = iter(target.run(in_one(list(itertools.chain(*models))), arrays, []))
    except Failed:
        return None
    microseconds = int(1e6 * (time.perf_counter() - start) / len(requests))
    try:
        return [Answer(OK, "", (microseconds, 0),
                       [(program.run, [packed(array) for array in itertools.islice(outputs, len(model.graph.output))])
                        for program, model in zip(request.programs, own)])
                for request, own in zip(requests, models)]
    except Failed:
        return None


def perform(target, request):
    runs, times, switches, decisions = [], [0, 0], {}, set()
    try:
        for program in request.programs:
            model = model_of(program)
            if request.names_switches:
                switches.update(dict.fromkeys(target.switches(model)))
                continue
            arrays = dict(inputs_of(model, program.data))
            start = time.perf_counter()
            outputs = target.run(model, arrays, request.off)
            times[min(len(runs), 1)] += int(1e6 * (time.perf_counter() - start))
            runs.append((program.run, [packed(array) for array in outputs]))
            if request.tells_decisions:
                decisions.update(told(lambda: target.decisions(model)))
    except Failed as failed:
        kind, text = failed.args
        return Answer(kind, text, times, runs)
    return Answer(OK, ",".join(switches) if request.names_switches else "\n".join(sorted(decisions)), times, runs)


def serve_models(target, merges=False):
    """target.version; target.run(model, arrays by name, switches that are off): arrays, or Failed; target.switches(model);
    target.decisions(model), where the target tells any.
    merges: several models in one are compiled faster than one by one."""
    np.seterr(all="ignore")
    serve(target.version, lambda request: perform(target, request),
          (lambda requests: together(target, requests)) if merges else None)
