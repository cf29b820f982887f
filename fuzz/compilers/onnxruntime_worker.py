"""onnxruntime_worker.py all|extended|basic|disabled|reference: runs exported models (fuserfuzz export --to=onnx).

The first four are ONNX Runtime's levels of optimisation, the last one is onnx.reference.ReferenceEvaluator. A switch is an
optimiser's name, as disabled_optimizers takes it.
"""

import ctypes
import mmap
import os
import re
import sys
import time

from worker_protocol import (BF16, BOOL, COMPILE_ERROR, F16, F32, F64, I8, I32, I64, LOG, OK, RUN_ERROR, UNSUPPORTED, Answer,
                             error_text, output, serve)

import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnx.parser  # noqa: E402

FLOAT, INT8, INT32, INT64, BOOLEAN, FLOAT16, DOUBLE, BFLOAT16 = 1, 3, 6, 7, 9, 10, 11, 16  # onnx.TensorProto
NUMPY = {DOUBLE: np.dtype(np.float64), FLOAT: np.dtype(np.float32), FLOAT16: np.dtype(np.float16),
         BFLOAT16: np.dtype(ml_dtypes.bfloat16), INT64: np.dtype(np.int64), INT32: np.dtype(np.int32),
         INT8: np.dtype(np.int8), BOOLEAN: np.dtype(np.bool_)}
NUMBERS = {np.dtype(np.float64): F64, np.dtype(np.float32): F32, np.dtype(np.float16): F16,
           np.dtype(ml_dtypes.bfloat16): BF16, np.dtype(np.int64): I64, np.dtype(np.int32): I32, np.dtype(np.int8): I8,
           np.dtype(np.bool_): BOOL}
NAMES = {DOUBLE: "f64", FLOAT: "f32", FLOAT16: "f16", BFLOAT16: "bf16", INT64: "i64", INT32: "i32", INT8: "i8",
         BOOLEAN: "bool"}


class Failed(Exception):
    """A program's end: the kind of the answer and its text."""


def inputs_of(model, data):
    """(name, ONNX's dtype, array) of each."""
    at = 0
    for value in model.graph.input:
        tensor = value.type.tensor_type
        dtype, sizes = NUMPY[tensor.elem_type], [dim.dim_value for dim in tensor.shape.dim]
        count = 1
        for size in sizes:
            count *= size
        yield value.name, tensor.elem_type, np.frombuffer(data, dtype, count, at).reshape(sizes)
        at += count * dtype.itemsize
    assert at == len(data), f"{len(data) - at} bytes are of no input"


def packed(array):
    array = np.asarray(array)
    strides = [stride // array.itemsize for stride in array.strides]
    return output(NUMBERS[array.dtype], array.shape, strides, np.ascontiguousarray(array).tobytes())


class Reference:
    """ONNX's own interpreter."""

    version = f"onnx {onnx.__version__}"

    def run(self, model, data, request):
        from onnx.reference import ReferenceEvaluator
        start = time.perf_counter()
        try:
            evaluator = ReferenceEvaluator(model)
            outputs = evaluator.run(None, {name: array for name, _, array in inputs_of(model, data)})
        except Exception as error:  # of any kind: the evaluator's
            raise Failed(RUN_ERROR, error_text(error)) from error
        return int(1e6 * (time.perf_counter() - start)), [packed(one) for one in outputs]

    def switches(self, model):
        return []


class Runtime:
    """ONNX Runtime at a level of optimisation."""

    LEVELS = {"all": "ORT_ENABLE_ALL", "extended": "ORT_ENABLE_EXTENDED", "basic": "ORT_ENABLE_BASIC",
              "disabled": "ORT_DISABLE_ALL"}

    def __init__(self, level):
        import onnxruntime
        import onnxruntime.capi.onnxruntime_pybind11_state as state
        self.ort, self.state, self.rules = onnxruntime, state, None
        self.level = getattr(onnxruntime.GraphOptimizationLevel, self.LEVELS[level])
        self.version = f"onnxruntime {onnxruntime.__version__}"
        self.quiet, self.verbose = self.options(4), self.options(1)

    def options(self, severity):
        options = self.ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.graph_optimization_level = self.level
        options.log_severity_level = severity
        return options

    def session(self, model, off=(), verbose=False):
        try:
            # No fallback: it would try again without `off`.
            return self.ort.InferenceSession(model.SerializeToString(), self.verbose if verbose else self.quiet,
                                             providers=["CPUExecutionProvider"], disabled_optimizers=set(off) or None,
                                             enable_fallback=0)
        except self.state.NotImplemented as error:
            raise Failed(UNSUPPORTED, missing_kernel(model, str(error))) from error
        except Exception as error:
            raise Failed(COMPILE_ERROR, runtime_error(error)) from error

    def run(self, model, data, request):
        start = time.perf_counter()
        session = self.session(model, request.off)
        values, kept = {}, []
        for name, dtype, array in inputs_of(model, data):
            array = np.array(array)  # of its own memory, which is aligned
            kept.append(array)
            values[name] = (self.ort.OrtValue.ortvalue_from_numpy_with_onnx_type(array.view(np.uint16), dtype)
                            if dtype == BFLOAT16 else self.ort.OrtValue.ortvalue_from_numpy(array))
        try:
            outputs = session.run_with_ort_values(None, values)
        except self.state.NotImplemented as error:
            raise Failed(UNSUPPORTED, missing_kernel(model, str(error))) from error
        except Exception as error:
            raise Failed(RUN_ERROR, runtime_error(error)) from error
        return int(1e6 * (time.perf_counter() - start)), [self.packed(one) for one in outputs]

    def packed(self, value):
        if value.element_type() != BFLOAT16:
            return packed(value.numpy())
        sizes = value.shape()  # numpy has no such dtype: the bits, where they lie
        count = int(np.prod(sizes, dtype=np.int64))
        elements = ctypes.string_at(value.data_ptr(), 2 * count) if count else b""
        return packed(np.frombuffer(elements, ml_dtypes.bfloat16).reshape(sizes))

    def switches(self, model):
        """Of the optimisers that change the model: those alone that a set of rules has, then the set."""
        begin = os.lseek(LOG, 0, os.SEEK_END)
        self.session(model, verbose=True)
        log = os.pread(LOG, os.lseek(LOG, 0, os.SEEK_END) - begin, begin).decode(errors="replace")
        changing = dict.fromkeys(re.findall(r"GraphTransformer (\w+) modified: 1 ", log))
        rules = self.all_rules() if any(name.endswith("_RuleBasedTransformer") for name in changing) else []
        return [name for name in changing if not name.endswith("_RuleBasedTransformer")] + rules + [
            name for name in changing if name.endswith("_RuleBasedTransformer")]

    def all_rules(self):
        """What looks like the name of a rule in the library: nothing lists them. A name that is none turns nothing off."""
        if self.rules is None:
            with open(self.state.__file__, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as library:
                found = re.findall(rb"\0([A-Z][A-Za-z0-9_]{4,40})(?=\0)", library)
            likely = re.compile(r"Eliminat|Fus|Rewrite|Fold")
            self.rules = sorted({name.decode() for name in found if likely.search(name.decode())})
        return self.rules


def runtime_error(error):
    """Without the number of the error and the names of nodes, which are not its cause."""
    text = re.sub(r"\[ONNXRuntimeError\] : \d+ : \w+ : ", "", error_text(error))
    return re.sub(r"/\S*/(?=\w+\.\w+:\d+)", "", re.sub(r" ?Name: ?'[^']*'", "", text))


def missing_kernel(model, text):
    """"no kernel: Where of bool, i8, i8"."""
    named = re.search(r"implementation for (?:node with name '(?P<late>[^']*)'|(?P<op>\w+)\(\d+\) node with name '(?P<name>[^']*)')", text)
    if named is None:
        return text
    name = named["name"] or named["late"]
    node = next((node for node in model.graph.node if node.name == name), None)
    if node is None:
        return f"no kernel: {named['op'] or ''}, a node that an optimiser made"
    inferred = onnx.shape_inference.infer_shapes(model).graph
    types = {value.name: value.type.tensor_type.elem_type
             for values in (inferred.input, inferred.value_info, inferred.output) for value in values}
    types.update({value.name: value.data_type for value in inferred.initializer})
    operands = ", ".join(NAMES.get(types.get(operand), "?") for operand in node.input)
    results = ", ".join(NAMES.get(types.get(result), "?") for result in node.output)
    return f"no kernel: {node.op_type} of {operands} to {results}"


def perform(target, request):
    runs, times, switches = [], [0, 0], {}
    try:
        for program in request.programs:
            model = onnx.parser.parse_model(program.text)
            for node in model.graph.node:
                node.name = node.output[0]
            microseconds, outputs = target.run(model, program.data, request)
            times[min(len(runs), 1)] += microseconds
            runs.append((program.run, outputs))
            if request.names_switches:
                switches.update(dict.fromkeys(target.switches(model)))
    except Failed as failed:
        kind, text = failed.args
        return Answer(kind, text, times, runs)
    return Answer(OK, ",".join(switches), times, runs)


def main():
    view = sys.argv[1]
    np.seterr(all="ignore")
    target = Reference() if view == "reference" else Runtime(view)
    serve(target.version, lambda request: perform(target, request))


main()
