"""run_onnx_models.py FOLDER: runs what `fuserfuzz export --to=onnx --with-reference --out FOLDER` wrote.

Each model is read by onnx.parser, held against the specification by onnx.checker (types and shapes too), and run by
onnx.reference.ReferenceEvaluator, expression by expression: an expression's nodes get LibTorch's values of its operands, and
their results are held against LibTorch's, as near as the expression's op demands (onnx_bounds.py). So an error is seen where it is
made, and no other error hides it. Faults of the evaluator itself are in onnx_known_faults.py: counted, and left out.
Prints a line a disagreement, then the totals; exit code 1 if anything disagrees or nothing was compared.
"""

import argparse
import collections
import json
import pathlib
import sys
import warnings

import ml_dtypes
import numpy as np
import onnx
import onnx.parser
from onnx.reference import ReferenceEvaluator

from onnx_bounds import BOUNDS
from onnx_known_faults import known_elements, known_error

DTYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "i64": np.int64,
          "i32": np.int32, "i8": np.int8, "bool": np.bool_}


class Reference:
    def __init__(self, folder):
        self.cases = json.loads((folder / "reference.json").read_text())["cases"]
        self.elements = np.memmap(folder / "reference.bin", dtype=np.uint8, mode="r")

    def tensor(self, stored):
        dtype = np.dtype(DTYPES[stored["dtype"]])
        count = int(np.prod(stored["sizes"], dtype=np.int64)) * dtype.itemsize
        return np.array(self.elements[stored["at"]:stored["at"] + count]).view(dtype).reshape(stored["sizes"])


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


def same_bits(one, two):
    return one.tobytes() == two.tobytes()


def difference(wanted, given, step, operands, faults):
    """"" where each element is as near as the step's bound says, or known to differ."""
    given = np.asarray(given)
    if wanted.dtype != given.dtype or wanted.shape != given.shape:
        return f"{given.dtype}{list(given.shape)} instead of {wanted.dtype}{list(wanted.shape)}"
    unequal = ~BOUNDS[step["bound"]](wanted, given, step, operands)
    if not unequal.any():
        return ""
    for elements, why in known_elements(step["op"], step["results"][0]["dtype"], wanted, given, operands):
        faults[why] += np.count_nonzero(unequal & elements)
        unequal &= ~elements
    where = np.flatnonzero(unequal)
    if where.size == 0:
        return ""
    first = where[0]
    at = [str(np.broadcast_to(operand, wanted.shape).reshape(-1)[first]) for operand in operands
          if step["bound"] != "terms" and operand.ndim <= wanted.ndim]
    return (f"{where.size} of {wanted.size} elements differ, first {first}: {given.reshape(-1)[first]} instead of "
            f"{wanted.reshape(-1)[first]}, operands {', '.join(at)}")


class ModelRun:
    """The values of a model, filled with LibTorch's step by step."""

    def __init__(self, model, values):
        self.evaluator = ReferenceEvaluator(model)
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


def results_of(step):
    """(result, the step that bounds it): the second result of a variance is a mean."""
    return zip(step["results"], (step, {**step, "op": "MeanOfVarMean"}))


def step_problems(reference, model, run, values, totals, faults):
    running = ModelRun(model, values)
    for step in run["steps"]:
        operands = [np.asarray(running.values[name]) for name in step["operands"]]
        wanted = [reference.tensor(result) for result in step["results"]]
        names = [result["name"] for result in step["results"]]
        try:
            running.run_until(names)
            problems = [difference(reference.tensor(result), running.values[result["name"]], bounding, operands, faults)
                        for result, bounding in results_of(step)]
        except Exception as error:  # of any kind: the evaluator's
            text = f"{type(error).__name__}: {str(error)[:200]}"
            known = known_error(step["op"], text)
            faults[known] += bool(known)
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
        expected = reference.tensor(wanted)
        if given.dtype != expected.dtype or not same_bits(expected, given):
            yield f"output {output.name} is not the value that it names"


def problems_of(reference, path, run, totals, faults):
    if run["refused"]:
        totals["runs that LibTorch refuses"] += 1
        return
    if not path.exists():
        totals["runs without a model"] += 1
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
        if not same_bits(reference.tensor(stored), values[stored["name"]]):
            yield f"input {stored['name']} is not the run's"
    yield from step_problems(reference, model, run, values, totals, faults)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    warnings.filterwarnings("ignore")
    np.seterr(all="ignore")
    reference, wrong = Reference(folder), 0
    totals, faults = collections.Counter(), collections.Counter()
    for stored in reference.cases:
        found = []
        for run in stored["runs"]:
            path = folder / stored["program"].replace(".onnx.txt", f".{run['name']}.onnx.txt")
            found += [f"{path.name}: {problem}" for problem in problems_of(reference, path, run, totals, faults)]
        wrong += bool(found)
        for problem in found:
            print(problem)
    for fault, count in (+faults).most_common():
        print(f"{count} elements left out, a fault that is known: {fault}")
    print(f"{len(reference.cases)} cases, {wrong} disagree with the reference; "
          + ", ".join(f"{count} {what}" for what, count in sorted(totals.items())) + f"; onnx {onnx.__version__}")
    sys.exit(1 if wrong or totals["outputs"] == 0 else 0)


main()
