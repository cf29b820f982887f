#!/usr/bin/env python3
"""Saves a torch.export program, or a torch.fx graph, as JSON that `fuserfuzz import` reads. It needs torch alone.

    python fuzz/import/save_graph.py model.pt2 model.json       # what torch.export.save has written

    from save_graph import save
    save(torch.export.export(model, inputs), "model.json")      # or a GraphModule of make_fx, of aot_autograd

An ExportedProgram is decomposed first: to core ATen, and norms and softmax further, to what they are made of;
activations that the language of fusions has stay whole. make_fx takes the same table:
make_fx(f, decomposition_table=decompositions()).
Nothing but the graph is saved: no weights, and of a program with example inputs the least and greatest element of each
value, with two digits, so that data can be made that is like it. The same program gives the same bytes.

The file is an object:

    format    1
    name      the graph's name
    torch     the version that saved it
    nodes     one object each, in the order of the graph, one a line; checks, which have no result, are left out, and
              constant tensors are placeholders:
      name       unique
      op         "placeholder", "output", "getitem", or an operator with its overload: "aten.add.Tensor"
      arguments  by the names of the operator's schema; those that have the schema's default are left out, and so are
                 device, layout, pin_memory and non_blocking. A placeholder has none, getitem has `value` and `index`,
                 and output has `values`
      results    one object each, or null for what is no tensor: dtype ("float32"), shape, strides, and range ([least,
                 greatest]) where the program was run and all its elements are finite

An argument is null, a bool, a number, a string, a list of arguments, or an object with one entry: value (the name of
the node that makes it), number ("inf", "-inf", "nan"), dtype ("float32"), memory_format ("channels_last"), other (its text).
"""

import argparse
import json
import math
import operator
import os
import sys

import torch
from torch._decomp import core_aten_decompositions, get_decompositions

FORMAT = 1

aten = torch.ops.aten

# Ops that stay whole although PyTorch can take them apart: the language of fusions has them, or can say them in one op.
KEPT = [
    "elu", "gelu", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "log_sigmoid_forward", "mish",
    "select_backward", "silu", "slice_backward", "softplus", "softshrink", "threshold", "lerp", "addcmul", "addcdiv",
    "sinc", "logit", "xlogy", "frac", "masked_fill", "rsub", "logaddexp", "logaddexp2", "deg2rad", "rad2deg", "square",
    "stack", "unbind", "split", "split_with_sizes", "signbit",
]  # fmt: skip

# Ops of core ATen that are taken apart all the same: what they are made of is what a compiler fuses.
TAKEN_APART = [
    aten.native_layer_norm, aten.native_layer_norm_backward, aten.native_group_norm, aten.native_group_norm_backward,
    aten._native_batch_norm_legit, aten._native_batch_norm_legit_functional, aten._native_batch_norm_legit_no_training,
    aten.native_batch_norm, aten.native_batch_norm_backward, aten.batch_norm_backward, aten._batch_norm_with_update,
    aten._batch_norm_with_update_functional, aten._batch_norm_no_update, aten._softmax, aten._softmax_backward_data,
    aten._log_softmax, aten._log_softmax_backward_data, aten._safe_softmax, aten.addmm, aten.addmv, aten.baddbmm,
    aten.gelu_backward, aten.silu_backward, aten.hardswish_backward, aten.sigmoid_backward, aten.tanh_backward,
    aten.threshold_backward, aten.elu_backward, aten.mse_loss, aten.mse_loss_backward, aten.smooth_l1_loss,
    aten.softplus_backward, aten.leaky_relu_backward, aten.nll_loss_forward, aten.rms_norm,
    aten._fused_rms_norm, aten._fused_rms_norm_backward, aten.std_mean, aten.linalg_vector_norm,
]  # fmt: skip

# Arguments that say where a tensor lies, not what it holds.
PLACES = {"device", "layout", "pin_memory", "non_blocking"}


class GraphError(Exception):
    """What cannot be saved, in one sentence."""


def decompositions():
    """The table of decompositions that the importer wants, for make_fx and for run_decompositions."""
    table = dict(core_aten_decompositions().items())
    table.update(get_decompositions(TAKEN_APART))
    return {op: how for op, how in table.items() if packet_name(op) not in KEPT}


def packet_name(op):
    return str(op).split(".")[1] if str(op).startswith("aten.") else str(op)


def dtype_name(dtype):
    return str(dtype).removeprefix("torch.")


def number(value):
    """A size or stride. A symbolic one has the value that it had while it was traced."""
    if isinstance(value, int):
        return int(value)
    hint = getattr(getattr(value, "node", None), "hint", None)
    if hint is None:
        raise GraphError(f"the size {value} is not known; export with static shapes")
    return int(hint)


def argument(value):
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"number": str(value)}
    if isinstance(value, torch.fx.Node):
        return {"value": value.name}
    if isinstance(value, (list, tuple)):
        return [argument(entry) for entry in value]
    if isinstance(value, torch.dtype):
        return {"dtype": dtype_name(value)}
    if isinstance(value, torch.memory_format):
        return {"memory_format": str(value).removeprefix("torch.")}
    return {"other": str(value)}


def arguments_of(node):
    if node.op in ("placeholder", "get_attr"):
        return {}
    if node.op == "output":
        values = node.args[0] if isinstance(node.args[0], (list, tuple)) else [node.args[0]]
        return {"values": argument([value for value in values if isinstance(value, torch.fx.Node)])}
    if node.target is operator.getitem:
        return {"value": argument(node.args[0]), "index": argument(node.args[1])}
    if not hasattr(node.target, "_schema"):  # an operation on sizes
        given = {str(i): value for i, value in enumerate(node.args)} | dict(node.kwargs)
        return {name: argument(value) for name, value in given.items()}
    given = {}
    for i, parameter in enumerate(node.target._schema.arguments):
        if i < len(node.args):
            value = node.args[i]
        elif parameter.name in node.kwargs:
            value = node.kwargs[parameter.name]
        else:
            continue
        is_default = parameter.has_default_value() and type(value) is type(parameter.default_value)
        if is_default and value == parameter.default_value or parameter.name in PLACES:
            continue
        given[parameter.name] = argument(value)
    return given


def op_of(node):
    if node.op in ("placeholder", "output"):
        return node.op
    if node.op == "get_attr":
        return "placeholder"
    if node.op != "call_function":
        raise GraphError(f"the node {node.name} is a {node.op}, not a call of an operator; export the module first")
    if node.target is operator.getitem:
        return "getitem"
    if isinstance(node.target, torch._ops.OpOverload):
        return str(node.target)
    return getattr(node.target, "__name__", str(node.target))


def outward(value, up):
    """Two digits, rounded away from the other end of the range, so that the last bit of a sum does not show."""
    if value == 0 or isinstance(value, int):
        return value
    unit = 10.0 ** (math.floor(math.log10(abs(value))) - 1)
    return float(f"{(math.ceil if up else math.floor)(value / unit) * unit:.2g}")


def range_of(tensor):
    if tensor.numel() == 0 or tensor.is_complex():
        return None
    low, high = tensor.min().item(), tensor.max().item()
    if isinstance(low, bool):
        return None
    if not (math.isfinite(low) and math.isfinite(high)):
        return None
    return [outward(low, up=False), outward(high, up=True)]


def result(value, seen):
    if not isinstance(value, torch.Tensor):
        return None
    if value.layout != torch.strided:
        raise GraphError(f"a tensor is {value.layout}; only strided ones can be saved")
    saved = {
        "dtype": dtype_name(value.dtype),
        "shape": [number(size) for size in value.shape],
        "strides": [number(stride) for stride in value.stride()],
    }
    if isinstance(seen, torch.Tensor) and (limits := range_of(seen)) is not None:
        saved["range"] = limits
    return saved


def is_check(node):
    """Whether a node has no result, or one for a profiler."""
    if not hasattr(node.target, "_schema"):
        return False
    return len(node.target._schema.returns) == 0 or str(node.target).startswith("profiler.")


def results_of(node, seen, module):
    if node.op == "output":
        return []
    if node.op == "get_attr":
        value = operator.attrgetter(node.target)(module)
        return [result(value, value)]
    if "val" not in node.meta:
        raise GraphError(f"the node {node.name} has no recorded value; trace with make_fx or torch.export")
    value, run = node.meta["val"], seen.get(node.name)
    if isinstance(value, (list, tuple)):
        runs = run if isinstance(run, (list, tuple)) else [None] * len(value)
        return [result(one, one_run) for one, one_run in zip(value, runs)]
    return [result(value, run)]


class Recorder(torch.fx.Interpreter):
    """Runs a graph and keeps what each node gives."""

    def __init__(self, module):
        super().__init__(module, garbage_collect_values=False)
        self.seen = {}

    def run_node(self, node):
        value = super().run_node(node)
        self.seen[node.name] = value.clone() if isinstance(value, torch.Tensor) else value
        return value


def flat_inputs(program):
    """The inputs of an ExportedProgram's graph, or None where it has no example inputs."""
    if program.example_inputs is None:
        return None
    args, kwargs = program.example_inputs
    given = iter(torch.utils._pytree.tree_leaves((args, kwargs)))
    inputs = []
    for spec in program.graph_signature.input_specs:
        if spec.kind.name == "USER_INPUT":
            inputs.append(next(given))
        else:
            held = program.state_dict if spec.target in program.state_dict else program.constants
            inputs.append(held[spec.target])
    return inputs


def graph(program, name, inputs=None):
    """The JSON of a program. inputs: those of a GraphModule; with them it is run, to record ranges."""
    if isinstance(program, torch.export.ExportedProgram):
        program = program.run_decompositions(decompositions())
        inputs, module = flat_inputs(program), program.graph_module
    else:
        module = program
    module.graph.eliminate_dead_code()
    seen = {}
    if inputs is not None:
        recorder = Recorder(module)
        with torch.no_grad():
            recorder.run(*[value.clone() if isinstance(value, torch.Tensor) else value for value in inputs])
        seen = recorder.seen
    nodes = []
    for node in module.graph.nodes:
        if is_check(node):
            continue
        nodes.append(
            {
                "name": node.name,
                "op": op_of(node),
                "arguments": arguments_of(node),
                "results": results_of(node, seen, module),
            }
        )
    return {"format": FORMAT, "name": name, "torch": torch.__version__.split("+")[0], "nodes": nodes}


def to_text(saved):
    head = ", ".join(f"{json.dumps(key)}: {json.dumps(saved[key])}" for key in ("format", "name", "torch"))
    lines = ",\n".join(json.dumps(node, allow_nan=False) for node in saved["nodes"])
    return "{" + head + ', "nodes": [\n' + lines + "\n]}\n"


def save(program, path, name=None, inputs=None):
    """Writes the program to the file `path`. A GraphError says what cannot be saved."""
    path = os.fspath(path)
    text = to_text(graph(program, name or os.path.splitext(os.path.basename(path))[0], inputs))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    about = "Saves what torch.export.save has written as JSON for fuserfuzz import."
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("program", help="a .pt2 file of torch.export.save")
    parser.add_argument("json", help="the file to write; - for standard output")
    parser.add_argument("--name", help="the graph's name (default: that of the file)")
    arguments = parser.parse_args()
    name = arguments.name or os.path.splitext(os.path.basename(arguments.program))[0]
    try:
        torch.set_num_threads(1)
        program = torch.export.load(arguments.program)
        if arguments.json == "-":
            sys.stdout.write(to_text(graph(program, name)))
        else:
            save(program, arguments.json, name)
    except (GraphError, OSError, RuntimeError) as error:
        sys.exit(f"save_graph.py: {arguments.program}: {str(error).splitlines()[0]}")


if __name__ == "__main__":
    main()
