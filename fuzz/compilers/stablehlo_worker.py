"""stablehlo_worker.py VIEW: runs exported modules (fuserfuzz export --to=stablehlo).

  optimised, unoptimised, without-library   XLA for CPUs: as it is, at optimisation level 0, without its library of kernels (YNNPACK)
  iree, iree-unoptimised                    IREE's llvm-cpu: as it is, at level O0
  interpreter                               StableHLO's own interpreter, of jaxlib's bindings; nothing of XLA runs

XLA's switches are its passes over HLO that change the programs, which its dumps name.
"""

import contextlib
import importlib.metadata
import os
import re
import sys
import tempfile
import time

from worker_protocol import (BF16, BOOL, COMPILE_ERROR, F8E4M3FN, F8E5M2, F16, F32, F64, I8, I16, I32, I64, OK, RUN_ERROR,
                             U8, U16, U32, UNSUPPORTED, Answer, error_text, output, serve, told)

# Fast minima may lose NaN, which the documentation of the flag says.
XLA_VIEWS = {"optimised": "", "unoptimised": "--xla_backend_optimization_level=0",
             "without-library": "--xla_cpu_experimental_ynn_fusion_type="}
# No pass, and passes that the rest of XLA relies on.
NO_SWITCHES = ("pipeline-start", "layout-assignment", "copy-insertion")
IREE_VIEWS = {"iree": (), "iree-unoptimised": ("--iree-opt-level=O0",)}
VIEW = sys.argv[1]
if VIEW == "without-library" and importlib.metadata.version("jaxlib").startswith("0.7."):
    XLA_VIEWS[VIEW] = ""  # it has no library yet, and ends at a flag that it does not know
os.environ["XLA_FLAGS"] = ("--xla_cpu_multi_thread_eigen=false --xla_cpu_enable_fast_min_max=false "
                           + XLA_VIEWS.get(VIEW, "")).strip()
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402

TYPES = {"f64": (F64, np.float64), "f32": (F32, np.float32), "f16": (F16, np.float16), "bf16": (BF16, ml_dtypes.bfloat16),
         "i64": (I64, np.int64), "i32": (I32, np.int32), "i8": (I8, np.int8), "i1": (BOOL, np.bool_),
         "i16": (I16, np.int16), "ui8": (U8, np.uint8), "ui16": (U16, np.uint16), "ui32": (U32, np.uint32),
         "f8E4M3FN": (F8E4M3FN, ml_dtypes.float8_e4m3fn), "f8E5M2": (F8E5M2, ml_dtypes.float8_e5m2)}
NUMBERS = {np.dtype(dtype): number for number, dtype in TYPES.values()}


def types_in(text):
    """(sizes, element type) of each tensor."""
    for kind in re.findall(r"tensor<([^>]*)>", text):
        *sizes, element = kind.split("x")
        yield [int(size) for size in sizes], element


def arguments_of(program):
    """The arrays of @main's arguments, which lie in the data one after another."""
    arrays, at = [], 0
    for sizes, element in types_in(re.search(r"@main\((.*?)\) ->", program.text)[1]):
        elements = np.frombuffer(program.data, TYPES[element][1], int(np.prod(sizes, dtype=np.int64)), at)
        arrays.append(elements.reshape(sizes).copy())  # aligned
        at += arrays[-1].nbytes
    return arrays


def packed(array):
    if array.dtype not in NUMBERS:
        raise TypeError(f"an output has the dtype {array.dtype}")
    strides = [stride // array.itemsize for stride in array.strides]
    return output(NUMBERS[array.dtype], array.shape, strides, np.ascontiguousarray(array).tobytes())


class Aval:
    """What batched_device_put asks of the array that it makes."""

    def __init__(self, array):
        self.shape, self.dtype, self.ndim, self.size, self.weak_type = array.shape, array.dtype, array.ndim, array.size, False


def sharding_on(xla, device):
    """Of one device. Before jaxlib 0.11 it is jax that gives it a method, which this does instead."""
    if not hasattr(xla.SingleDeviceSharding, "_to_xla_hlo_sharding"):
        class Sharding(xla.SingleDeviceSharding):
            memory_kind = None

            def _to_xla_hlo_sharding(self, rank):
                return xla.HloSharding.replicate()

            def is_equivalent_to(self, other, rank):
                return True
        return Sharding(device)
    return xla.SingleDeviceSharding(device)


class Xla:
    def __init__(self):
        from jaxlib import xla_client
        from jaxlib.version import __version__
        self.xla = xla_client
        self.client = xla_client.make_cpu_client()
        self.device, = self.client.devices()
        self.sharding = sharding_on(xla_client, self.device)
        self.version = f"jaxlib {__version__}"

    def compile(self, text, off=(), dump=""):
        options = self.xla.CompileOptions()
        if off:
            options.executable_build_options.debug_options.xla_disable_hlo_passes = ",".join(off)
        if dump:
            debug = options.executable_build_options.debug_options
            debug.xla_dump_to, debug.xla_dump_hlo_pass_re, debug.xla_dump_hlo_as_text = dump, ".*", True
        return self.client.compile_and_load(text.encode(), self.xla.DeviceList((self.device,)), options)

    def switches(self, programs):
        """A dump is of a pass that changed the module, and its file is named after it."""
        with tempfile.TemporaryDirectory() as folder:
            for program in programs:
                self.compile(program.text, dump=folder)
            passes = (re.search(r"\.after_([^.]+)\.before_", name) for name in sorted(os.listdir(folder)))
            return list(dict.fromkeys(found[1] for found in passes if found and found[1] not in NO_SWITCHES))

    def decisions(self, executable):
        """Of the optimised module: its kinds of fusions, instructions with their dtypes, and calls of libraries."""
        found = set()
        for module in executable.hlo_modules():
            for dtype, opcode, rest in re.findall(r"^ +(?:ROOT )?%\S+ = \(?(\w+)\[.*?[})\]] ([\w-]+)\((.*)", module.to_string(), re.M):
                words = [word for key in ("kind", "custom_call_target", "direction", "comparator")
                         for word in re.findall(rf'\b{key}="?([\w$.]+)', rest)]
                found.add(" ".join(["instruction", opcode, dtype, *words]))
        return found

    def run(self, executable, arrays):
        semantics = self.xla.HostBufferSemantics.IMMUTABLE_ONLY_DURING_CALL
        buffers = [self.xla.batched_device_put(Aval(array), self.sharding, [array], [self.device], True, False, semantics, True)
                   for array in arrays]
        results = executable.execute_sharded(buffers).disassemble_into_single_device_arrays()
        return [result[0]._single_device_array_to_np_array_did_copy()[0] for result in results]


@contextlib.contextmanager
def printed_errors():
    """A list that has, in the end, what was printed to descriptor 2 meanwhile."""
    said, log = [], os.dup(2)
    with tempfile.TemporaryFile() as printed:
        os.dup2(printed.fileno(), 2)
        try:
            yield said
        finally:
            os.dup2(log, 2)
            os.close(log)
            printed.seek(0)
            said.append(printed.read(8000).decode(errors="replace").strip())


class Iree:
    # Without the last one f64 becomes f32.
    FLAGS = ("--iree-hal-target-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=host", "--iree-input-type=stablehlo",
             "--iree-input-demote-f64-to-f32=false")

    def __init__(self):
        import iree.compiler.api
        import iree.runtime
        self.api, self.runtime = iree.compiler.api, iree.runtime
        self.config = iree.runtime.Config("local-sync")
        self.version = f"iree {importlib.metadata.version('iree-base-compiler')}"

    def compile(self, text):
        """@main."""
        session = self.api.Session()
        session.set_flags(*self.FLAGS, *IREE_VIEWS[VIEW])
        invocation = session.invocation()
        invocation.enable_console_diagnostics()
        source = self.api.Source.wrap_buffer(session, text.encode() + b"\0")
        with printed_errors() as said:
            compiles = invocation.parse_source(source) and invocation.execute()
        if not compiles:
            # Without the line, so that a smaller program has the same error.
            raise RuntimeError(re.sub(r"source\.mlir:\d+:\d+: ", "", said[0]) or "IREE gives no reason")
        binary = self.api.Output.open_membuffer()
        invocation.output_vm_bytecode(binary)
        context = self.runtime.SystemContext(config=self.config)
        context.add_vm_module(self.runtime.VmModule.copy_buffer(context.instance, bytes(binary.map_memory())))
        return context.modules.fusion.main

    def run(self, function, arrays):
        results = function(*arrays)
        results = results if isinstance(results, (tuple, list)) else [results]
        return [np.asarray(result.to_host()) for result in results]


class Interpreter:
    def __init__(self):
        from jaxlib.mlir import ir
        from jaxlib.mlir._mlir_libs import _jax_mlir_ext
        from jaxlib.mlir.dialects import stablehlo
        from jaxlib.version import __version__
        self.ir, self.stablehlo, self.version = ir, stablehlo, f"StableHLO's interpreter of jaxlib {__version__}"
        self.context, registry = ir.Context(), ir.DialectRegistry()
        _jax_mlir_ext.register_dialects(registry)
        self.context.append_dialect_registry(registry)
        self.context.load_all_available_dialects()
        stablehlo.register_dialect(self.context)
        stablehlo.register_interpreter_dialect(self.context)

    def compile(self, text):
        """The module, and its results' types. bf16, which numpy does not read, is returned as its bits."""
        body, last = text.split("    return ")
        names, types = (part.split(", ") for part in last.split("\n")[0].split(" : "))
        for i, kind in enumerate(types):
            if kind.endswith("bf16>"):
                bits = kind.replace("bf16", "i16")
                body += f"    %bits.{i} = stablehlo.bitcast_convert {names[i]} : ({kind}) -> {bits}\n"
                names[i], types[i] = f"%bits.{i}", bits
        body = re.sub(r"-> \(.*\) \{\n", lambda _: f"-> ({', '.join(types)}) {{\n", body, count=1)
        with self.context:
            module = self.ir.Module.parse(f"{body}    return {', '.join(names)} : {', '.join(types)}\n  }}\n}}\n")
        return module, [element for _, element in types_in(", ".join(types))]

    def attribute(self, array):
        if array.dtype == ml_dtypes.bfloat16:
            return self.ir.DenseElementsAttr.get(array.view(np.uint16), type=self.ir.BF16Type.get())
        return self.ir.DenseElementsAttr.get(array)

    def run(self, compiled, arrays):
        module, elements = compiled
        with self.context, self.ir.Location.unknown():
            results = self.stablehlo.eval_module(module, [self.attribute(array) for array in arrays])
        return [np.array(result).view(ml_dtypes.bfloat16) if element == "i16" else np.array(result)
                for element, result in zip(elements, results)]


def in_one(programs):
    """A module whose @main calls each program's, and the number of results of each."""
    functions, arguments, calls, results, types, counts = [], [], [], [], [], []
    for i, program in enumerate(programs):
        head = re.search(r"func\.func @main\((.*?)\) -> \((.*?)\) \{\n", program.text)
        end = program.text.rindex("}")
        functions.append(f"  func.func private @program_{i}({head[1]}) -> ({head[2]}) {{\n{program.text[head.end():end]}")
        taken, given = (re.findall(r"tensor<[^>]*>", part) for part in head.groups())
        names = [f"%p{i}.{k}" for k in range(len(taken))]
        arguments += [f"{name}: {kind}" for name, kind in zip(names, taken)]
        calls.append(f"    %r{i}:{len(given)} = func.call @program_{i}({', '.join(names)}) : "
                     f"({', '.join(taken)}) -> ({', '.join(given)})\n")
        results += [f"%r{i}#{k}" for k in range(len(given))]
        types += given
        counts.append(len(given))
    main = (f"  func.func @main({', '.join(arguments)}) -> ({', '.join(types)}) {{\n{''.join(calls)}"
            f"    return {', '.join(results)} : {', '.join(types)}\n  }}\n")
    return f"module @fusion {{\n{''.join(functions)}{main}}}\n", counts


def kind_of(error, otherwise):
    return UNSUPPORTED if "UNIMPLEMENTED" in str(error) else otherwise


def same_bits(one, two):
    return all(a.tobytes() == b.tobytes() for a, b in zip(one, two))


def perform(request, way):
    if request.names_switches:
        return Answer(OK, ",".join(way.switches(request.programs)) if isinstance(way, Xla) else "")
    runs, times, decisions = [], [0, 0], set()
    for program in request.programs:
        start = time.perf_counter()
        try:
            compiled = way.compile(program.text, request.off) if request.off else way.compile(program.text)
        except Exception as error:
            return Answer(kind_of(error, COMPILE_ERROR), error_text(error), times)
        try:
            arrays = arguments_of(program)
            outputs = way.run(compiled, arrays)
            times[min(len(runs), 1)] += int(1e6 * (time.perf_counter() - start))
            if VIEW != "interpreter" and not same_bits(outputs, way.run(compiled, arrays)):
                return Answer(RUN_ERROR, "the same executable gives other bits when it runs again", times)
            runs.append((program.run, [packed(array) for array in outputs]))
            if request.tells_decisions:
                decisions.update(told(lambda: way.decisions(compiled)))
        except Exception as error:
            return Answer(kind_of(error, RUN_ERROR), error_text(error), times)
    return Answer(OK, "\n".join(sorted(decisions)), times, runs)


def together(requests, way):
    """The answers, from one compilation of all programs; None where it fails, or what it makes is not the same twice."""
    programs = [program for request in requests for program in request.programs]
    try:
        start = time.perf_counter()
        text, counts = in_one(programs)
        compiled = way.compile(text)
        arrays = [array for program in programs for array in arguments_of(program)]
        outputs = way.run(compiled, arrays)
        microseconds = int(1e6 * (time.perf_counter() - start) / len(requests))
        if not same_bits(outputs, way.run(compiled, arrays)):
            return None
        rest, of_each = iter(outputs), iter(counts)
        return [Answer(OK, "", (microseconds, 0),
                       [(program.run, [packed(next(rest)) for _ in range(next(of_each))]) for program in request.programs])
                for request in requests]
    except Exception:
        return None


def main():
    way = Iree() if VIEW in IREE_VIEWS else Xla() if VIEW in XLA_VIEWS else Interpreter()
    compiles = VIEW != "interpreter"
    serve(way.version, lambda request: perform(request, way), (lambda requests: together(requests, way)) if compiles else None)


main()
