"""What the workers share: frames, fields and descriptors, as fuzz/compilers/worker_process.h describes them.

A worker begins with `import worker_protocol`, before it imports a compiler: from then on what is printed goes to the log.
"""

import gc
import itertools
import os
import struct
import sys
import time
from typing import NamedTuple

SWITCHES, DECISIONS = 1, 2  # WantedText
HELLO, OK, UNSUPPORTED, COMPILE_ERROR, RUN_ERROR = range(5)
F64, F32, F16, BF16, I64, I32, I8, BOOL, I16, U8, U16, U32, F8E4M3FN, F8E5M2 = range(14)  # DataType
LOG, PROGRESS = 3, 4  # descriptors
ALL_RUNS = 0xFFFFFFFF

_requests, _answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
for _printed in (1, 2):
    os.dup2(LOG, _printed)


class Program(NamedTuple):
    run: int  # the index of the case's run, or ALL_RUNS
    text: str
    data: bytes


class Request(NamedTuple):
    identity: int
    wanted: int  # WantedText: what the answer's text holds
    following: int  # requests that follow at once and may be compiled with it
    off: list[str]  # switches
    programs: list[Program]

    @property
    def names_switches(self):
        return self.wanted == SWITCHES

    @property
    def tells_decisions(self):
        return self.wanted == DECISIONS


class Answer(NamedTuple):
    kind: int
    text: str = ""
    microseconds: tuple[int, int] = (0, 0)  # of the first run, with its compilation, and of the others
    runs: list = []  # (index, [output() of each])


class _Reader:
    def __init__(self, payload):
        self.payload, self.at = payload, 0

    def number(self, form):
        value, = struct.unpack_from(form, self.payload, self.at)
        self.at += struct.calcsize(form)
        return value

    def take(self, count):
        self.at += count
        return self.payload[self.at - count:self.at]

    def text(self):
        return self.take(self.number("<I")).decode()


def read_request(payload):
    reader = _Reader(payload)
    identity, wanted, following = reader.number("<Q"), reader.number("<B"), reader.number("<I")
    off = reader.text()
    programs = [Program(reader.number("<I"), reader.text(), reader.take(reader.number("<Q")))
                for _ in range(reader.number("<I"))]
    return Request(identity, wanted, following, off.split(",") if off else [], programs)


def output(dtype, sizes, strides, elements):
    """An output's bytes: a number of DataType, and the elements dense and row-major."""
    rank = len(sizes)
    return (struct.pack("<BB", dtype, rank) + struct.pack(f"<{2 * rank}q", *sizes, *strides)
            + struct.pack("<Q", len(elements)) + elements)


def error_text(error):
    return f"{type(error).__name__}: {str(error).strip()}"[:8000]


def told(decisions):
    """What decisions() gives. That it cannot tell them is no error of the target."""
    try:
        return decisions()
    except Exception as error:
        print(error_text(error))
        return {f"not told: {type(error).__name__}"}


def _answer(identity, answer, companions=0, beside=0):
    text = answer.text.encode()
    parts = [struct.pack("<QBIQQQI", identity, answer.kind, companions, *answer.microseconds, beside, len(text)), text,
             struct.pack("<I", len(answer.runs))]
    for index, outputs in answer.runs:
        parts += [struct.pack("<II", index, len(outputs)), *outputs]
    payload = b"".join(parts)
    _answers.write(struct.pack("<I", len(payload)) + payload)
    _answers.flush()


def _requests_of_frames():
    while len(head := _requests.read(4)) == 4:
        yield read_request(_requests.read(struct.unpack("<I", head)[0]))


def _begin(requests):
    os.write(PROGRESS, f"begin {' '.join(str(request.identity) for request in requests)}\n".encode())
    return time.perf_counter()


def _send(requests, answers, start):
    """start: when the work on all of them began."""
    spent = 1e6 * (time.perf_counter() - start) - sum(sum(answer.microseconds) for answer in answers)
    for request, answer in zip(requests, answers):
        _answer(request.identity, answer, len(requests) - 1, max(0, int(spent / len(requests))))


def _serve_block(requests, perform, together):
    """Compiled in one; where that fails, each half by itself."""
    start = _begin(requests)
    if len(requests) == 1:
        return _send(requests, [perform(*requests)], start)
    answers = together(requests)
    if answers:
        return _send(requests, answers, start)
    half = len(requests) // 2
    _serve_block(requests[:half], perform, together)
    _serve_block(requests[half:], perform, together)


def serve(version, perform, together=None):
    """Answers each Request with perform's Answer, until there is none. version: "torch 2.11.0".

    together: gives the Answers of several requests that it compiles in one, or None where that fails.
    """
    gc.freeze()  # the modules of a compiler stay: no collection looks at them
    _answer(0, Answer(HELLO, version))
    requests = _requests_of_frames()
    for request in requests:
        alone = together is None or request.tells_decisions  # of what is compiled in one, nobody knows whose they are
        following = () if alone else itertools.islice(requests, request.following)
        _serve_block([request, *following], perform, together)
    sys.exit(0)
