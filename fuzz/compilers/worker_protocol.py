"""What the workers share: frames, fields and descriptors, as fuzz/compilers/worker_process.h describes them.

A worker begins with `import worker_protocol`, before it imports a compiler: from then on what is printed goes to the log.
"""

import os
import struct
import sys
from typing import NamedTuple

HELLO, OK, UNSUPPORTED, COMPILE_ERROR, RUN_ERROR = range(5)
F64, F32, F16, BF16, I64, I32, I8, BOOL = range(8)  # DataType
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
    names_switches: bool  # the answer's text: the switches whose work changes these programs
    off: list[str]  # switches
    programs: list[Program]


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
    identity, names_switches, off = reader.number("<Q"), bool(reader.number("<B")), reader.text()
    programs = [Program(reader.number("<I"), reader.text(), reader.take(reader.number("<Q")))
                for _ in range(reader.number("<I"))]
    return Request(identity, names_switches, off.split(",") if off else [], programs)


def output(dtype, sizes, strides, elements):
    """An output's bytes: a number of DataType, and the elements dense and row-major."""
    rank = len(sizes)
    return (struct.pack("<BB", dtype, rank) + struct.pack(f"<{2 * rank}q", *sizes, *strides)
            + struct.pack("<Q", len(elements)) + elements)


def error_text(error):
    return f"{type(error).__name__}: {str(error).strip()}"[:8000]


def _answer(identity, answer):
    text = answer.text.encode()
    parts = [struct.pack("<QBQQI", identity, answer.kind, *answer.microseconds, len(text)), text,
             struct.pack("<I", len(answer.runs))]
    for index, outputs in answer.runs:
        parts += [struct.pack("<II", index, len(outputs)), *outputs]
    payload = b"".join(parts)
    _answers.write(struct.pack("<I", len(payload)) + payload)
    _answers.flush()


def serve(version, perform):
    """Answers each Request with perform's Answer, until there is none. version: "torch 2.11.0"."""
    _answer(0, Answer(HELLO, version))
    while len(head := _requests.read(4)) == 4:
        request = read_request(_requests.read(struct.unpack("<I", head)[0]))
        os.write(PROGRESS, f"begin {request.identity}\n".encode())
        _answer(request.identity, perform(request))
    sys.exit(0)
