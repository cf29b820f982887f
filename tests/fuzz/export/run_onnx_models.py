"""run_onnx_models.py FOLDER: runs what `fuserfuzz export --to=onnx --with-reference --out FOLDER` wrote.

Each model is read by onnx.parser, held against the specification by onnx.checker (types and shapes too), and run by
onnx.reference.ReferenceEvaluator, expression by expression (steps.py). Faults of the evaluator itself are in onnx_known_faults.py:
counted, and left out; its GatherElements, which has at most 64 choices, is replaced by one of numpy.
"""

import warnings

import numpy as np
import onnx
import onnx.parser
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun

from onnx_known_faults import KNOWN_FAULTS, known_error
from reference_folder import check_folder
from steps import difference, results_of, same_bits, tensor_of


def inputs_of(graph, path):
    """The tensors that lie in the file beside the model."""
    data, at, tensors = path.read_bytes() if path.exists() else b"", 0, {}
    for value in graph.input:
        dtype = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type))
        sizes = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        count = int(np.prod(sizes, dtype=np.int64))
        tensors[value.name] = np.frombuffer(data, dtype, count, at).reshape(sizes)
        at += count * dtype.itemsize
    assert at == len(data), f"{len(data) - at} bytes are of no input"
    return tensors


class GatherElements(OpRun):
    """onnx.reference's own one is np.choose, of at most 64 arrays, and wrong elements past them."""

    op_domain = ""

    def _run(self, data, indices, axis=0):
        return (np.take_along_axis(data, indices, axis),)


class ModelRun:
    """The values of a model, filled with LibTorch's step by step."""

    def __init__(self, model, values):
        self.evaluator = ReferenceEvaluator(model, new_ops=[GatherElements])
        self.values = {"": None, **self.evaluator.rt_inits_, **values}
        self.rest = list(self.evaluator.rt_nodes_)

    def run_until(self, names):
        """Runs nodes until these values are there."""
        while not all(name in self.values for name in names):
            node = self.rest[0]
            results = node.run(*[self.values[name] for name in node.input])
            self.values.update(zip(node.output, results))
            self.rest.pop(0)

    def skip(self, names):
        """Leaves out the nodes of these values."""
        while self.rest and not set(names) <= set(self.values):
            self.values.update((name, None) for name in self.rest.pop(0).output)


def step_problems(folder, model, run, values, totals, left_out):
    running = ModelRun(model, values)
    for step in run["steps"]:
        operands = [np.asarray(running.values[name]) for name in step["operands"]]
        wanted = [tensor_of(folder, result) for result in step["results"]]
        names = [result["name"] for result in step["results"]]
        try:
            running.run_until(names)
            problems = [difference(tensor_of(folder, result), running.values[result["name"]], bounding, operands,
                                   KNOWN_FAULTS, left_out)
                        for result, bounding in results_of(step)]
        except Exception as error:  # of any kind: the evaluator's
            text = f"{type(error).__name__}: {str(error)[:200]}"
            known = known_error(step["op"], text)
            left_out["expressions are left out: " + known] += bool(known)
            problems = [] if known else [text]
            running.skip(names)
        totals["expressions"] += 1
        totals[f"within {step['bound']}"] += 1
        totals["elements"] += sum(one.size for one in wanted)
        running.values.update(zip(names, wanted))
        yield from (f"{step['results'][0]['dtype']} {step['op']}: {problem}" for problem in filter(None, problems))
    running.run_until([output.name for output in model.graph.output])
    for output, wanted in zip(model.graph.output, run["outputs"]):
        totals["outputs"] += 1
        given = np.asarray(running.values[output.name])
        expected = tensor_of(folder, wanted)
        if not same_bits(expected, given):
            yield f"output {output.name} is not the value that it names"


def run_problems(folder, path, run, totals, left_out):
    if run["refused"]:
        totals["runs that LibTorch refuses"] += 1
        return
    try:
        model = onnx.parser.parse_model(path.read_text())
        onnx.checker.check_model(model, full_check=True)
    except Exception as error:
        yield f"{type(error).__name__}: {str(error)[:300]}"
        return
    totals["models"] += 1
    values = inputs_of(model.graph, path.with_suffix(".bin"))
    for stored in run["inputs"]:
        if not same_bits(tensor_of(folder, stored), values[stored["name"]]):
            yield f"input {stored['name']} is not the run's"
    yield from step_problems(folder, model, run, values, totals, left_out)


def problems_of(folder, case, totals, left_out):
    for run in case["runs"]:
        path = folder.path / case["program"]
        yield from (f"{path.name}: {problem}" for problem in run_problems(folder, path, run, totals, left_out))


warnings.filterwarnings("ignore")
np.seterr(all="ignore")
check_folder(__doc__, problems_of, f"onnx {onnx.__version__}")
