"""Times exported programs in PyTorch, eagerly and compiled, beside fuser's times of the same runs.

  python time_torch.py PROGRAMS TIMES.json [--device cuda] [--repetitions 20]

PROGRAMS: a folder that `fuserfuzz export` filled; TIMES.json: what `fuserfuzz time --json` wrote of the same cases. Prints
a table (Markdown).

On a GPU a time of PyTorch's is from one event to another around the whole program, behind a copy that fills the L2 cache with
other data: with the gaps between its kernels, of which the second finds in the cache what the first left. fuser's is a sum of
its kernels', each behind such a copy, and without gaps. Eager calls are made under torch.device, which takes Python some time
an op. Tensors are dense, whatever the case's are, and what a program writes in place is not restored between repetitions.
Medians, behind runs that are not timed: torch.compile's first one compiles.
"""

import argparse
import functools
import importlib.util
import json
import pathlib
import statistics
import sys
import time

import torch

WARM_UP = 3
COPY_BYTES = 1 << 29


def module_of(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    # Host scalars stay on the host: no launch, and nobody waits for one.
    for name, dtype in (("f64", torch.float64), ("i64", torch.int64), ("boolean", torch.bool)):
        setattr(module, name, functools.partial(torch.tensor, dtype=dtype, device="cpu"))
    return module


def microseconds(call, device, repetitions):
    if device == "cuda":
        source = torch.empty(COPY_BYTES, dtype=torch.uint8, device=device)
        target = torch.empty_like(source)
    times = []
    for i in range(WARM_UP + repetitions):
        if device == "cuda":
            target.copy_(source)
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            call()
            end.record()
            end.synchronize()
            each = 1e3 * begin.elapsed_time(end)
        else:
            start = time.perf_counter()
            call()
            each = 1e6 * (time.perf_counter() - start)
        if i >= WARM_UP:
            times.append(each)
    return statistics.median(times)


def timed(path, run, device, repetitions):
    """Microseconds of each way, or why it has none."""
    result = {}
    try:
        module = module_of(path)
        arguments = getattr(module, f"run_{run}")()
        arguments = [each.to(device) if isinstance(each, torch.Tensor) else each for each in arguments]
        torch._dynamo.reset()
    except Exception as error:  # of whatever kind: the other programs have times
        return {way: reason_of(error) for way in ("eager", "compile")}
    for way, function in (("eager", module.fusion), ("compile", torch.compile(module.fusion))):
        try:
            with torch.no_grad(), torch.device(device):
                result[way] = microseconds(lambda: function(*arguments), device, repetitions)
        except Exception as error:
            result[way] = reason_of(error)
    return result


def reason_of(error):
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("times", type=pathlib.Path)
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--repetitions", type=int, default=20)
    options = parser.parse_args()
    if options.device == "cuda" and not torch.cuda.is_available():
        sys.exit("torch finds no GPU: this torch is for CPUs, or there is none")
    # Scripts take host scalars out of tensors: as a user's program would have them, without a break in the graph.
    torch._dynamo.config.capture_scalar_outputs = True
    device = torch.cuda.get_device_name() if options.device == "cuda" else "this CPU"
    print(f"PyTorch {torch.__version__} on {device}, microseconds of a program's run with most elements. PyTorch's are of the")
    print("whole program, with the gaps between kernels; fuser's are the sum of its kernels', each with cold caches.\n")
    print("| program | fuser: kernels | fuser | eager | torch.compile | eager / fuser | torch.compile / fuser |")
    print("|---|---|---|---|---|---|---|")
    failures = []
    for row in json.loads(options.times.read_text())["programs"]:
        path = options.programs / f"{row['program']}.py"
        cells = [row["program"], str(row["kernels"]), f"{row['microseconds']:.1f}"]
        if path.exists():
            times = timed(path, row["run"], options.device, options.repetitions)
        else:
            times = {way: "it was not exported" for way in ("eager", "compile")}
        for way, each in times.items():
            cells.append("-" if isinstance(each, str) else f"{each:.1f}")
            if isinstance(each, str):
                failures.append(f"{row['program']}, {way}: {each}")
        for way in ("eager", "compile"):
            each = times[way]
            known = not isinstance(each, str) and row["microseconds"] > 0
            cells.append(f"{each / row['microseconds']:.2f}" if known else "-")
        print("| " + " | ".join(cells) + " |", flush=True)
    for failure in failures:
        print(f"\nNot timed: {failure}")


if __name__ == "__main__":
    main()
