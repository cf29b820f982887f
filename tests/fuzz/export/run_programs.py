"""run_programs.py FOLDER: runs what `fuserfuzz export --to=pytorch --with-reference --out FOLDER` wrote.

All programs run in this one process, each in a namespace of its own. Checked of every run, to the bit: the inputs' elements,
strides, offsets and shared memory; the outputs' dtype, sizes and elements (all NaN are equal). Refusals must agree, too. A program
that writes in place has its memory elsewhere than the reference, which adds in another order then: such floats are compared within
2^-20 of the largest, and counted.
"""

import torch

from reference_folder import check_folder

DTYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i64": torch.int64,
          "i32": torch.int32, "i8": torch.int8, "bool": torch.bool, "i16": torch.int16, "u8": torch.uint8,
          "u16": torch.uint16, "u32": torch.uint32, "f8e4m3fn": torch.float8_e4m3fn, "f8e5m2": torch.float8_e5m2}


def tensor_of(folder, stored):
    dtype = DTYPES[stored["dtype"]]
    data = folder.bytes_of(stored, dtype.itemsize)
    if data.size == 0:
        return torch.empty(stored["sizes"], dtype=dtype)
    return torch.from_numpy(data).view(dtype).reshape(stored["sizes"])


def bits_of(tensor):
    kinds = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    return tensor.detach().contiguous().reshape(-1).view(kinds[tensor.dtype.itemsize])


def difference(wanted, given, nans_are_equal):
    """"" where all bits agree."""
    if not isinstance(given, torch.Tensor):
        return f"a {type(given).__name__} is no tensor"
    if wanted.dtype != given.dtype or wanted.shape != given.shape:
        return f"{given.dtype}{list(given.shape)} instead of {wanted.dtype}{list(wanted.shape)}"
    unequal = bits_of(wanted) != bits_of(given)
    one, two = wanted.reshape(-1), given.detach().reshape(-1)
    if nans_are_equal:
        unequal &= ~(torch.isnan(one) & torch.isnan(two))
    where = unequal.nonzero().reshape(-1).tolist()
    if not where:
        return ""
    return f"{len(where)} of {wanted.numel()} elements differ, first {where[0]}: {two[where[0]]} instead of {one[where[0]]}"


def input_problems(folder, run, arguments):
    tensors = [argument for argument in arguments if isinstance(argument, torch.Tensor)]
    by_name = dict(zip((stored["name"] for stored in run["inputs"]), tensors))
    if len(by_name) != len(run["inputs"]):
        yield f"{len(by_name)} input tensors instead of {len(run['inputs'])}"
    for stored, tensor in zip(run["inputs"], tensors):
        name = stored["name"]
        if problem := difference(tensor_of(folder, stored), tensor, nans_are_equal=False):
            yield f"input {name}: {problem}"
        if list(tensor.stride()) != stored["strides"]:
            yield f"input {name}: strides {list(tensor.stride())} instead of {stored['strides']}"
        owner = by_name.get(stored["view_of"])
        start = owner.storage_offset() if owner is not None else 0
        if tensor.storage_offset() != start + stored["offset"]:
            yield f"input {name}: offset {tensor.storage_offset()} instead of {start + stored['offset']}"
        if owner is not None and owner.untyped_storage().data_ptr() != tensor.untyped_storage().data_ptr():
            yield f"input {name}: does not share the memory of {stored['view_of']}"


def evaluated(program, function, run):
    """The outputs, or PyTorch's refusal."""
    try:
        return program["results"](function, run), ""
    except (RuntimeError, IndexError, ValueError, TypeError, ZeroDivisionError, OverflowError) as error:
        return None, f"{type(error).__name__}: {str(error).splitlines()[0]}"


def is_order_alone(wanted, given):
    """Whether finite floats differ by so little that sums in another order explain it."""
    if not wanted.dtype.is_floating_point or wanted.shape != given.shape or wanted.dtype != given.dtype:
        return False
    one, two = wanted.to(torch.float64).reshape(-1), given.detach().to(torch.float64).reshape(-1)
    if not torch.equal(one.isfinite(), two.isfinite()):
        return False
    finite = one.isfinite()
    largest = one[finite].abs().max() if finite.any() else 0
    return bool((one[finite] - two[finite]).abs().le(largest * max(2.0**-20, torch.finfo(wanted.dtype).eps)).all())


def program_problems(folder, stored, program, writes, totals, left_out):
    runs = {run.__name__: run for run in program["RUNS"]}
    if list(runs) != [run["name"] for run in stored["runs"]]:
        yield f"has the runs {list(runs)} instead of {[run['name'] for run in stored['runs']]}"
        return
    for run in stored["runs"]:
        totals["runs"] += 1
        yield from (f"{run['name']}: {problem}" for problem in input_problems(folder, run, runs[run["name"]]()))
        outputs, refusal = evaluated(program, program["fusion"], runs[run["name"]])
        if refusal or run["refused"]:
            left_out["runs that both refuse: " + run["refused"][:90]] += 1
            if bool(refusal) != bool(run["refused"]):
                yield f"{run['name']}: refused by {'PyTorch: ' + refusal if refusal else 'the reference: ' + run['refused']}"
            continue
        if len(outputs) != len(run["outputs"]):
            yield f"{run['name']}: {len(outputs)} outputs instead of {len(run['outputs'])}"
        for wanted, given in zip(run["outputs"], outputs):
            totals["outputs"] += 1
            totals["elements"] += given.numel() if isinstance(given, torch.Tensor) else 0
            if problem := difference(tensor_of(folder, wanted), given, nans_are_equal=True):
                if writes and is_order_alone(tensor_of(folder, wanted), given):
                    left_out["outputs behind updates add in another order"] += 1
                    continue
                yield f"{run['name']}: output {wanted['name']}: {problem}"


def problems_of(folder, case, totals, left_out):
    path = folder.path / case["program"]
    program = {"__name__": path.stem, "__doc__": None}
    text = path.read_text()
    exec(compile(text, str(path), "exec"), program)
    writes = ".copy_(" in text
    yield from (f"{path.name}: {problem}" for problem in program_problems(folder, case, program, writes, totals, left_out))


torch.set_num_threads(1)
check_folder(__doc__, problems_of, f"torch {torch.__version__}")
