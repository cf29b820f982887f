"""onnxruntime_worker.py all|extended|basic|disabled|reference: runs exported models (fuserfuzz export --to=onnx).

The first four are ONNX Runtime's levels of optimisation, the last one is onnx.reference.ReferenceEvaluator. A switch is an
optimiser's name, as disabled_optimizers takes it.
"""

import ctypes
import mmap
import os
import re
import sys
import tempfile

from worker_protocol import COMPILE_ERROR, LOG, RUN_ERROR, UNSUPPORTED, error_text
from onnx_models import EXTENSIONS, NAMES, NUMPY, Failed, Guarded, check_inputs, check_second_run, has_declared_shapes, interpreted, serve_models

import numpy as np
import onnx


class Reference:
    """ONNX's own interpreter."""

    version = f"onnx {onnx.__version__}"

    def run(self, model, arrays, off):
        return interpreted(model, arrays)

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

    def session(self, model, off=(), options=None):
        try:
            # No fallback: it would try again without `off`.
            return self.ort.InferenceSession(model.SerializeToString(), options or self.quiet,
                                             providers=["CPUExecutionProvider"], disabled_optimizers=set(off) or None,
                                             enable_fallback=0)
        except self.state.NotImplemented as error:
            raise Failed(UNSUPPORTED, missing_kernel(model, str(error))) from error
        except Exception as error:
            raise Failed(COMPILE_ERROR, runtime_error(error)) from error

    def run(self, model, arrays, off):
        session = self.session(model, off)
        kept = {name: np.array(array) for name, array in arrays.items()}  # of its own memory, which is aligned
        values = {name: self.value_of(array) for name, array in kept.items()}
        try:
            outputs = [self.array_of(value) for value in session.run_with_ort_values(None, values)]
            if has_declared_shapes(model, outputs):
                self.run_again(session, values, outputs)
            check_inputs(kept, arrays)
            return outputs
        except Failed:
            raise
        except self.state.NotImplemented as error:
            raise Failed(UNSUPPORTED, missing_kernel(model, str(error))) from error
        except Exception as error:
            raise Failed(RUN_ERROR, runtime_error(error)) from error

    def run_again(self, session, values, outputs):
        names = [output.name for output in session.get_outputs()]
        again, binding = [Guarded(array) for array in outputs], session.io_binding()
        for name, value in values.items():
            binding.bind_ortvalue_input(name, value)
        for name, guarded in zip(names, again):
            binding.bind_ortvalue_output(name, self.value_of(guarded.array))
        session.run_with_iobinding(binding)
        check_second_run(names, outputs, again)

    def value_of(self, array):
        """In the array's memory."""
        if array.dtype in EXTENSIONS:
            bits = array.view(np.uint16 if array.itemsize == 2 else np.uint8)
            return self.ort.OrtValue.ortvalue_from_numpy_with_onnx_type(bits, EXTENSIONS[array.dtype])
        return self.ort.OrtValue.ortvalue_from_numpy(array)

    def array_of(self, value):
        dtype = NUMPY[value.element_type()]
        if dtype not in EXTENSIONS:
            return value.numpy()
        sizes = value.shape()  # the bits, where they lie
        count = int(np.prod(sizes, dtype=np.int64))
        elements = ctypes.string_at(value.data_ptr(), dtype.itemsize * count) if count else b""
        return np.frombuffer(elements, dtype).reshape(sizes)

    def switches(self, model):
        """Of the optimisers that change the model: those alone that a set of rules has, then the set."""
        changing = self.changing(model, self.verbose)
        rules = self.all_rules() if any(name.endswith("_RuleBasedTransformer") for name in changing) else []
        return [name for name in changing if not name.endswith("_RuleBasedTransformer")] + rules + [
            name for name in changing if name.endswith("_RuleBasedTransformer")]

    def changing(self, model, options):
        """The optimisers that change the model, in order."""
        begin = os.lseek(LOG, 0, os.SEEK_END)
        self.session(model, options=options)
        log = os.pread(LOG, os.lseek(LOG, 0, os.SEEK_END) - begin, begin).decode(errors="replace")
        return list(dict.fromkeys(re.findall(r"GraphTransformer (\w+) modified: 1 ", log)))

    def decisions(self, model):
        """Optimisers that change the model, operators that are left, with the words among their attributes, and which feeds which."""
        with tempfile.TemporaryDirectory() as folder:
            options = self.options(1)
            options.optimized_model_filepath = os.path.join(folder, "model.onnx")
            passes = self.changing(model, options)
            nodes = onnx.load(options.optimized_model_filepath).graph.node
        kinds = {name: kind_of(node) for node in nodes for name in node.output}
        feeds = {(kinds[name], kind_of(node)) for node in nodes for name in node.input if name in kinds}
        return ([f"pass {name}" for name in passes] + [f"kernel {kind}" for kind in set(kinds.values())]
                + [f"kernel {one} feeds {other}" for one, other in feeds])

    def all_rules(self):
        """What looks like the name of a rule in the library: nothing lists them. A name that is none turns nothing off."""
        if self.rules is None:
            with open(self.state.__file__, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as library:
                found = re.findall(rb"\0([A-Z][A-Za-z0-9_]{4,40})(?=\0)", library)
            likely = re.compile(r"Eliminat|Fus|Rewrite|Fold")
            self.rules = sorted({name.decode() for name in found if likely.search(name.decode())})
        return self.rules


def kind_of(node):
    words = [attribute.s.decode(errors="replace") for attribute in node.attribute if attribute.type == onnx.AttributeProto.STRING]
    return " ".join([node.op_type, *(word for word in words if word.isidentifier())])


def runtime_error(error):
    """Without the number of the error and the names of nodes, which are not its cause."""
    text = re.sub(r"\[ONNXRuntimeError\] : \d+ : \w+ : ", "", error_text(error))
    return re.sub(r"/\S*/(?=\w+\.\w+:\d+)", "", re.sub(r"(?: ?Name:|(?<=Node input)) ?'[^']*'", "", text))


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


def main():
    view = sys.argv[1]
    serve_models(Reference() if view == "reference" else Runtime(view))


main()
