"""torch_worker.py eager|compile|dynamic: runs exported programs (fuserfuzz export --to=pytorch); dynamic compiles them
for sizes that it does not know.

Switches are inductor's options by name, and inductor itself: without it, its graph runs in eager mode."""

import os
import re
import sys
import time
import types
import zlib

from worker_protocol import (ALL_RUNS, BF16, BOOL, COMPILE_ERROR, F8E4M3FN, F8E5M2, F16, F32, F64, I8, I16, I32, I64, OK,
                             RUN_ERROR, U8, U16, U32, UNSUPPORTED, Answer, error_text, output, serve, told)

if cache := os.environ.get("TORCHINDUCTOR_CACHE_DIR"):
    os.makedirs(cache, exist_ok=True)
    os.environ["TMPDIR"] = cache  # where inductor keeps its precompiled header

import numpy as np  # noqa: E402
import torch  # noqa: E402

DTYPES = {torch.float64: F64, torch.float32: F32, torch.float16: F16, torch.bfloat16: BF16, torch.int64: I64,
          torch.int32: I32, torch.int8: I8, torch.bool: BOOL, torch.int16: I16, torch.uint8: U8, torch.uint16: U16,
          torch.uint32: U32, torch.float8_e4m3fn: F8E4M3FN, torch.float8_e5m2: F8E5M2}


SWITCHES = {
    "cpp.simdlen": {"cpp.simdlen": 1},  # scalar code
    "max_fusion_size": {"max_fusion_size": 1},
    "pattern_matcher": {"pattern_matcher": False},
    "split_cat_fx_passes": {"split_cat_fx_passes": False},
    "joint_graph_constant_folding": {"joint_graph_constant_folding": False},
    "inplace_buffers": {"inplace_buffers": False},
    "allow_buffer_reuse": {"allow_buffer_reuse": False},
    "inductor": {},
}


def compiled(function, dynamic, off=()):
    torch._dynamo.reset()  # it caches by code object
    options = {option: value for switch in off for option, value in SWITCHES[switch].items()}
    if "inductor" in off:
        return torch.compile(function, fullgraph=True, dynamic=dynamic, backend="aot_eager_decomp_partition")
    return torch.compile(function, fullgraph=True, dynamic=dynamic, options=options or None)


def prepare_compile():
    import torch._dynamo.config
    import torch._inductor.config
    torch._inductor.config.fx_graph_cache = False
    torch._inductor.config.compile_threads = 1
    torch._dynamo.config.capture_scalar_outputs = True  # numbers that a tensor gives stay in the graph
    torch._dynamo.config.cache_size_limit = 64


def prepare_vector_code():
    """Inductor builds and loads libraries for each kind of vector code, in each process anew: seconds. Once for a processor is
    enough; what it found is kept in its cache."""
    from torch._inductor.cpu_vec_isa import VecISA, valid_vec_isa_list
    if not cache:
        return
    with open("/proc/cpuinfo") as file:
        processor = zlib.crc32(next((line for line in file if line.startswith("flags")), "").encode())
    known = os.path.join(cache, f"vector-code-{torch.__version__}-{processor:08x}")
    if os.path.exists(known):
        with open(known) as file:
            kinds = file.read().splitlines()
        VecISA.check_build = lambda self, code: str(self) in kinds
        return
    with open(f"{known}.{os.getpid()}", "w") as file:
        file.writelines(f"{kind}\n" for kind in valid_vec_isa_list())
    os.replace(file.name, known)


def text_of(error):
    """The first line tells errors apart: of a compiler it is its first error, not the command; of a backend what it raised."""
    compiler = re.search(r"error: (.*)", str(error)) if "CppCompileError" in str(error) else None
    text = re.sub(r"(raised:)\s*\n", r"\1 ", error_text(error), count=1)
    return text.replace(": ", f": C++ compile error: {compiler[1]}\n", 1) if compiler else text


def kind_of(error):
    # A branch on a number that a tensor gives is what it says that it does not take.
    if isinstance(error, torch._dynamo.exc.Unsupported) or "GuardOnDataDependentSymNode" in str(error):
        return UNSUPPORTED
    compiling = (torch._dynamo.exc.TorchDynamoException,)
    return COMPILE_ERROR if isinstance(error, compiling) else RUN_ERROR


class WritesOutside(Exception):
    pass


def cover(mask, tensor):
    """Sets the bytes of the tensor's elements."""
    width, where = tensor.itemsize, mask[tensor.storage_offset() * tensor.itemsize:]
    strides = [stride * width for stride in tensor.stride()]
    np.lib.stride_tricks.as_strided(where, (*tensor.shape, width), (*strides, 1))[...] = True


class Watch:
    """Of a call's arguments: the call may write those elements alone that the program updates; not what lies between them and
    behind them, and no other input."""

    def __init__(self, program, arguments):
        code = program["fusion"].__code__
        self.memories = {}  # by address: its bytes, which of them may change, what they are now, who has them
        for name, value in zip(code.co_varnames[:code.co_argcount], arguments):
            if not isinstance(value, torch.Tensor) or not value.untyped_storage().nbytes():
                continue
            memory, writable, _, names = self.memories.setdefault(value.untyped_storage().data_ptr(), self.memory_of(value))
            names.append(name)
            if name in program["UPDATED"] and value.numel():
                cover(writable, value)

    @staticmethod
    def memory_of(tensor):
        memory = torch.empty(0, dtype=torch.uint8).set_(tensor.untyped_storage()).numpy()
        return memory, np.zeros(memory.size, bool), memory.copy(), []

    def check(self):
        for memory, writable, before, names in self.memories.values():
            if ((memory != before) & ~writable).any():
                raise WritesOutside(f"it writes memory of {', '.join(names)} that the program does not update")


def watched(program, function):
    def call(*arguments):
        watch = Watch(program, arguments)
        outputs = function(*arguments)
        watch.check()
        return outputs
    return call


def refusal_of(program, run):
    """PyTorch's own, in eager mode; "" where it runs the program."""
    try:
        program["results"](program["fusion"], run)
    except Exception as error:
        return text_of(error)
    return ""


def packed(tensor):
    tensor = tensor.detach()
    if tensor.dtype not in DTYPES:
        raise TypeError(f"an output has the dtype {tensor.dtype}")
    kinds = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    dense = tensor.clone(memory_format=torch.contiguous_format).reshape(-1)
    data = dense.view(kinds[tensor.dtype.itemsize]).numpy().tobytes()
    return output(DTYPES[tensor.dtype], tensor.shape, tensor.stride(), data)


def loaded(requests):
    """What the scripts of each define. A script has all runs, or, where runs take different sides, its own alone."""
    for name in [name for name in sys.modules if name.startswith("program_")]:
        del sys.modules[name]
    return [[program_of(request, place) for place in range(len(request.programs))] for request in requests]


def program_of(request, place):
    script = request.programs[place]
    # Dynamo looks for the module of a function's globals, and remembers it by its name.
    module = types.ModuleType(f"program_{request.identity}_{place}")
    sys.modules[module.__name__] = module
    exec(compile(script.text, "program.py", "exec"), vars(module))
    vars(module)["UPDATED"] = set(re.findall(r"^    (\w+)\.copy_\(", script.text, re.M))
    vars(module)["INDEX"] = None if script.run == ALL_RUNS else script.run
    return vars(module)


def index_of(program, run):
    """Which of the case's runs it is: the script of one run alone calls that run_0."""
    return int(run.__name__[len("run_"):]) if program["INDEX"] is None else program["INDEX"]


def together(requests, dynamic):
    """The answers, from one compilation of all programs on all of their runs; None where it fails."""
    programs_of = loaded(requests)
    calls = [(program, run) for programs in programs_of for program in programs for run in program["RUNS"]]
    functions = [program["fusion"] for program, _ in calls]

    def all_of(arguments):
        return [function(*own) for function, own in zip(functions, arguments)]

    start = time.perf_counter()
    arguments = [run() for _, run in calls]
    try:
        watches = [Watch(program, own) for (program, _), own in zip(calls, arguments)]
        outputs = iter(compiled(all_of, dynamic)(arguments))
        for watch in watches:
            watch.check()
        microseconds = int(1e6 * (time.perf_counter() - start) / len(requests))
        return [Answer(OK, "", (microseconds, 0), [packed_run(program, run, next(outputs))
                                                   for program in programs for run in program["RUNS"]])
                for programs in programs_of]
    except Exception:
        return None


def packed_run(program, run, given):
    return index_of(program, run), [packed(one) for one in program["results"](lambda: given, tuple)]


CODES = []  # that inductor has made since it was to tell decisions


def begin_telling():
    from torch._dynamo.utils import counters
    from torch._inductor.graph import GraphLowering
    GraphLowering.save_output_code = staticmethod(CODES.append)
    CODES.clear()
    counters.clear()


def decisions():
    """Patterns that inductor found, kernels by the operators that it fused in each, and what it calls in libraries."""
    from torch._dynamo.utils import counters
    found = {f"pattern {name}" for name in counters["inductor"]}
    for code in CODES:
        found.update(f"kernel {name}" for name in re.findall(r"\b(cpp_fused_\w+?)_\d+ = ", code))
        found.update(f"calls {name}" for name in re.findall(r"\b(extern_kernels\.\w+)\(", code))
    return found


def perform(request, way):
    if request.names_switches:
        return Answer(OK, ",".join(SWITCHES) if way != "eager" else "")
    if not request.tells_decisions:
        return run_all(request, way)
    told(begin_telling)
    answer = run_all(request, way)
    return answer._replace(text="\n".join(sorted(told(decisions)))) if answer.kind == OK else answer


def run_all(request, way):
    programs, = loaded([request])
    runs, times = [], [0, 0]
    for program in programs:
        function = program["fusion"] if way == "eager" else compiled(program["fusion"], way == "dynamic", request.off)
        for run in program["RUNS"]:
            start = time.perf_counter()
            try:
                outputs = program["results"](watched(program, function), run)
                ran = time.perf_counter()
                runs.append((index_of(program, run), [packed(one) for one in outputs]))
            except Exception as error:
                refusal = refusal_of(program, run)
                return Answer(UNSUPPORTED, refusal, times) if refusal else Answer(kind_of(error), text_of(error), times)
            times[min(len(runs) - 1, 1)] += int(1e6 * (ran - start))
    return Answer(OK, "", times, runs)


def main():
    way = sys.argv[1]
    torch.set_num_threads(1)
    if way == "eager":
        return serve(f"torch {torch.__version__}", lambda request: perform(request, way), None)
    prepare_compile()
    prepare_vector_code()
    serve(f"torch {torch.__version__}", lambda request: perform(request, way),
          lambda requests: together(requests, way == "dynamic"))


main()
