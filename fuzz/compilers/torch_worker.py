"""torch_worker.py eager|compile: runs exported programs (fuserfuzz export --to=pytorch) that arrive as frames.

fuzz/compilers/worker_process.h has the protocol. Descriptor 0: requests; 1: answers; 3: the log; 4: what it begins.
"""

import os
import re
import struct
import sys
import time
import types

# What torch and its compilers print must not lie between the answers.
requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
for printed in (1, 2):
    os.dup2(3, printed)

if cache := os.environ.get("TORCHINDUCTOR_CACHE_DIR"):
    os.makedirs(cache, exist_ok=True)
    os.environ["TMPDIR"] = cache  # where inductor keeps its precompiled header

import torch  # noqa: E402

HELLO, OK, UNSUPPORTED, COMPILE_ERROR, RUN_ERROR = range(5)
DTYPES = {torch.float64: 0, torch.float32: 1, torch.float16: 2, torch.bfloat16: 3, torch.int64: 4, torch.int32: 5,
          torch.int8: 6, torch.bool: 7}


class Refused(Exception):
    """Dynamo or PyTorch itself cannot take this program."""


def compiled(function):
    torch._dynamo.reset()  # it caches by code object
    return torch.compile(function, fullgraph=True, dynamic=False)


def prepare_compile():
    import torch._dynamo.config
    import torch._inductor.config
    torch._inductor.config.fx_graph_cache = False
    torch._inductor.config.compile_threads = 1
    torch._dynamo.config.capture_scalar_outputs = True  # numbers that a tensor gives stay in the graph
    torch._dynamo.config.cache_size_limit = 64


def text_of(error):
    """The first line tells errors apart: of a compiler it is its first error, not the command."""
    text = str(error).strip()
    compiler = re.search(r"error: (.*)", text) if "CppCompileError" in text else None
    first = f"C++ compile error: {compiler[1]}\n" if compiler else ""
    return f"{type(error).__name__}: {first}{text}"[:8000]


def kind_of(error):
    if isinstance(error, torch._dynamo.exc.Unsupported):
        return UNSUPPORTED
    compiling = (torch._dynamo.exc.TorchDynamoException,)
    return COMPILE_ERROR if isinstance(error, compiling) else RUN_ERROR


def refusal_of(program, run):
    """PyTorch's own, in eager mode; "" where it runs the program."""
    try:
        program["results"](program["fusion"], run)
    except Exception as error:
        return text_of(error)
    return ""


def text_field(text):
    data = text.encode()
    return struct.pack("<I", len(data)) + data


def packed(tensor):
    tensor = tensor.detach()
    kinds = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    dense = tensor.clone(memory_format=torch.contiguous_format).reshape(-1)
    data = dense.view(kinds[tensor.dtype.itemsize]).numpy().tobytes()
    rank = tensor.dim()
    return (struct.pack("<BB", DTYPES[tensor.dtype], rank) + struct.pack(f"<{2 * rank}q", *tensor.shape, *tensor.stride())
            + struct.pack("<Q", len(data)) + data)


def perform(identity, text, compiles):
    """kind, text, microseconds of the first run and of the others, and (index, its outputs) of each run."""
    # Dynamo looks for the module of a function's globals, and remembers it by its name.
    module = types.ModuleType(f"program_{identity}")
    sys.modules.pop(f"program_{identity - 1}", None)
    sys.modules[module.__name__] = module
    program = vars(module)
    exec(compile(text, "program.py", "exec"), program)
    function = compiled(program["fusion"]) if compiles else program["fusion"]
    runs, times = [], [0, 0]
    for run in program["RUNS"]:
        start = time.perf_counter()
        try:
            outputs = program["results"](function, run)
        except Exception as error:
            refusal = refusal_of(program, run)
            return (UNSUPPORTED, refusal, times, []) if refusal else (kind_of(error), text_of(error), times, [])
        times[min(len(runs), 1)] += int(1e6 * (time.perf_counter() - start))
        runs.append((int(run.__name__[len("run_"):]), outputs))
    return OK, "", times, runs


def answer(identity, kind, text, times=(0, 0), runs=()):
    parts = [struct.pack("<QBQQ", identity, kind, *times), text_field(text), struct.pack("<I", len(runs))]
    for index, outputs in runs:
        parts.append(struct.pack("<II", index, len(outputs)))
        parts += [packed(output) for output in outputs]
    payload = b"".join(parts)
    answers.write(struct.pack("<I", len(payload)) + payload)
    answers.flush()


def main():
    compiles = sys.argv[1] == "compile"
    torch.set_num_threads(1)
    if compiles:
        prepare_compile()
    answer(0, HELLO, f"torch {torch.__version__}")
    while len(head := requests.read(4)) == 4:
        payload = requests.read(struct.unpack("<I", head)[0])
        identity, = struct.unpack_from("<Q", payload)
        os.write(4, f"begin {identity}\n".encode())
        answer(identity, *perform(identity, payload[8:].decode(), compiles))


main()
