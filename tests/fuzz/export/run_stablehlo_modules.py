"""run_stablehlo_modules.py FOLDER: runs what `fuserfuzz export --to=stablehlo --with-reference --out FOLDER` wrote.

Each module is read and verified by MLIR, and run by StableHLO's own interpreter (stablehlo.eval_module), expression by expression
(steps.py): from its text a module is made in which every value of the fusion is an argument, with LibTorch's elements. Faults of the
interpreter itself are in stablehlo_known_faults.py: counted, and left out.
"""

import re

import ml_dtypes
import numpy as np
from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib.mlir.dialects import stablehlo
from jaxlib.version import __version__

from reference_folder import check_folder
from stablehlo_known_faults import KNOWN_FAULTS, known_error
from steps import DTYPES, difference, results_of, same_bits, tensor_of

TYPES = {"f64": "f64", "f32": "f32", "f16": "f16", "bf16": "bf16", "i64": "i64", "i32": "i32", "i8": "i8", "bool": "i1",
         "i16": "i16", "u8": "ui8", "u16": "ui16", "u32": "ui32", "f8e4m3fn": "f8E4M3FN", "f8e5m2": "f8E5M2"}
NAMES = {text: name for name, text in TYPES.items()}
BITS = {"bf16": "i16", "f8E4M3FN": "i8", "f8E5M2": "i8"}  # of floats that numpy does not read
SHORT = (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2)


def make_context():
    context, registry = ir.Context(), ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    stablehlo.register_dialect(context)
    stablehlo.register_interpreter_dialect(context)
    return context


def type_of(stored):
    return "tensor<" + "".join(f"{size}x" for size in stored["sizes"]) + TYPES[stored["dtype"]] + ">"


class ModuleText:
    """The parts of an exported module."""

    def __init__(self, text, steps):
        head = re.search(r"func\.func @main\((.*?)\) -> \(.*\) \{\n", text)
        self.arguments = re.findall(r"%(\w+): (tensor<[^>]*>)", head[1])
        body, last = text[head.end():].split("    return ")
        self.outputs, self.output_types = (part.split(", ") for part in last.split("\n")[0].split(" : "))
        lines = body.splitlines(keepends=True)
        first = next((i for i, line in enumerate(lines) if "= stablehlo.constant" not in line), len(lines))
        self.constants, self.groups, group = "".join(lines[:first]), [], ""
        names = [result["name"] for step in steps for result in step["results"]]
        named = False
        for line in lines[first:]:
            name = re.match(r"    %(\w+)", line)
            group += line
            named = named or (name and name[1] == names[len(self.groups)])
            if named and group.count("({") == group.count("})"):  # an operation with a region has several lines
                self.groups.append(self.made(group, names[len(self.groups)]))
                group, named = "", False
        assert len(self.groups) == len(names) and not group, "the lines are not those of the expressions"

    @staticmethod
    def made(group, name):
        """The lines that define %name, with the result as %name.made: %name is an argument."""
        return group.replace(f"    %{name} = ", f"    %{name}.made = ")


def module_of(arguments, lines, results):
    """arguments, results: (name, type). Floats that numpy does not read come back as their bits."""
    returned = []
    for i, (name, kind) in enumerate(results):
        short = next((text for text in BITS if kind.endswith(f"{text}>")), None)
        if short:
            bits = kind.replace(short, BITS[short])
            lines += f"    %bits.{i} = stablehlo.bitcast_convert %{name} : ({kind}) -> {bits}\n"
            name, kind = f"bits.{i}", bits
        returned.append((name, kind))
    names, types = ", ".join(f"%{name}" for name, _ in returned), ", ".join(kind for _, kind in returned)
    return (f"func.func @main({', '.join(f'%{name}: {kind}' for name, kind in arguments)}) -> ({types}) {{\n{lines}"
            f"    return {names} : {types}\n}}\n")


def attribute_of(array):
    made = dict(zip(SHORT, (ir.BF16Type, ir.Float8E4M3FNType, ir.Float8E5M2Type))).get(array.dtype.type)
    if made:
        return ir.DenseElementsAttr.get(array.view(np.uint16 if array.itemsize == 2 else np.uint8), type=made.get())
    return ir.DenseElementsAttr.get(array, signless=array.dtype.kind != "u")


def evaluated(text, arrays, results):
    """The arrays of (name, type) results."""
    attributes = stablehlo.eval_module(ir.Module.parse(text), [attribute_of(array) for array in arrays])
    outputs = []
    for (_, kind), attribute in zip(results, attributes):
        dtype = DTYPES[NAMES[re.search(r"(\w+)>", kind)[1].split("x")[-1]]]
        array = np.array(attribute)
        outputs.append(array.view(dtype) if dtype in SHORT else array)
    return outputs


class ModuleRun:
    """A module, run expression by expression on LibTorch's values."""

    def __init__(self, folder, text, run, inputs):
        self.steps = run["steps"]
        self.text = ModuleText(text, self.steps)
        self.stored = [result for step in self.steps for result in step["results"]]
        self.arguments = self.text.arguments + [(stored["name"], type_of(stored)) for stored in self.stored]
        self.wanted = [tensor_of(folder, stored) for stored in self.stored]
        self.arrays = inputs + self.wanted
        self.values = dict(zip((name for name, _ in self.arguments), self.arrays))

    def made(self, first, last):
        """The results from place first on."""
        results = [(f"{stored['name']}.made", type_of(stored)) for stored in self.stored[first:last]]
        lines = self.text.constants + "".join(self.text.groups[first:last])
        return evaluated(module_of(self.arguments, lines, results), self.arrays, results)

    def outputs(self):
        results = list(zip((name[1:] for name in self.text.outputs), self.text.output_types))
        return evaluated(module_of(self.arguments, self.text.constants, results), self.arrays, results)

    def results_by_step(self):
        """Yields (step, its arrays, or the interpreter's words, or None for what it cannot do): of all at once, or, where that
        fails, one by one; so, too, where there is a scatter: the interpreter writes into its operand's memory, which other
        expressions read."""
        try:
            if any("stablehlo.scatter" in group for group in self.text.groups):
                raise ValueError("a scatter")
            made, first = self.made(0, len(self.stored)), 0
            for step in self.steps:
                yield step, made[first:first + len(step["results"])]
                first += len(step["results"])
            return
        except Exception:
            first = 0
        for step in self.steps:
            if "Scatter" in step["op"] and len(set(step["operands"])) < len(step["operands"]):
                yield step, None
                first += len(step["results"])
                continue
            try:
                yield step, self.made(first, first + len(step["results"]))
            except Exception as error:
                yield step, f"{type(error).__name__}: {str(error)[:300]}"
            first += len(step["results"])


def step_problems(folder, run, running, totals, left_out):
    for step, given in running.results_by_step():
        totals["expressions"] += 1
        totals[f"within {step['bound']}"] += 1
        kind = f"{step['results'][0]['dtype']} {step['op']}"
        if given is None:
            left_out["expressions are left out: the interpreter scatters into the memory that it reads the elements from"] += 1
            continue
        if isinstance(given, str):
            known = known_error(step["op"], given)
            left_out["expressions are left out: " + known] += bool(known)
            if not known:
                yield f"{kind}: {given}"
            continue
        operands = [running.values[name] for name in step["operands"]]
        for (result, bounding), array in zip(results_of(step), given):
            totals["elements"] += array.size
            problem = difference(running.values[result["name"]], array, bounding, operands, KNOWN_FAULTS, left_out)
            if problem:
                yield f"{kind}: {problem}"


def inputs_of(arguments, path):
    """The arrays that lie in the file beside the module."""
    data, at, arrays = path.read_bytes() if path.exists() else b"", 0, []
    for _, kind in arguments:
        *sizes, text = kind[len("tensor<"):-1].split("x")
        dtype, sizes = np.dtype(DTYPES[NAMES[text]]), [int(size) for size in sizes]
        elements = np.frombuffer(data, dtype, int(np.prod(sizes, dtype=np.int64)), at)
        arrays.append(elements.reshape(sizes).copy())  # aligned
        at += arrays[-1].nbytes
    assert at == len(data), f"{len(data) - at} bytes are of no input"
    return arrays


def run_problems(folder, path, run, totals, left_out):
    if run["refused"]:
        totals["runs that LibTorch refuses"] += 1
        return
    text = path.read_text()
    try:
        ir.Module.parse(text).operation.verify()
    except Exception as error:
        yield f"{type(error).__name__}: {str(error)[:300]}"
        return
    totals["modules"] += 1
    inputs = inputs_of(ModuleText(text, run["steps"]).arguments, path.with_suffix(".bin"))
    running = ModuleRun(folder, text, run, inputs)
    for stored in run["inputs"]:
        if not same_bits(tensor_of(folder, stored), running.values[stored["name"]]):
            yield f"input {stored['name']} is not the run's"
    yield from step_problems(folder, run, running, totals, left_out)
    outputs = running.outputs()
    for wanted, given in zip(run["outputs"], outputs):
        totals["outputs"] += 1
        if not same_bits(tensor_of(folder, wanted), given):
            yield f"output {wanted['name']} is not the value that it names"
    if len(outputs) != len(run["outputs"]):
        yield f"{len(outputs)} outputs instead of {len(run['outputs'])}"


def problems_of(folder, case, totals, left_out):
    for run in case["runs"]:
        path = folder.path / case["program"]
        yield from (f"{path.name}: {problem}" for problem in run_problems(folder, path, run, totals, left_out))


np.seterr(all="ignore")
with make_context(), ir.Location.unknown():
    check_folder(__doc__, problems_of, f"jaxlib {__version__}")
