#pragma once
// Workers of tests: a few lines of Python, which need no package. The case says what they do.

#include <string>
#include <utility>

#include "fuzz/compilers/worker_process.h"

namespace fuser::fuzz {

inline constexpr const char* kFakeWorker = R"(
import os, signal, struct, subprocess, sys, time

def frame(payload):
    return struct.pack("<I", len(payload)) + payload

def write(data):
    while data:
        data = data[os.write(1, data):]

def answer(identity, kind, text="", runs=b"\0\0\0\0", companions=0):
    text = text.encode()
    return frame(struct.pack("<QBIQQQI", identity, kind, companions, 5, 6, 7, len(text)) + text + runs)

def tensor(dtype, sizes, data):
    rank = len(sizes)
    return struct.pack(f"<BB{2 * rank}qQ", dtype, rank, *sizes, *[1] * rank, len(data)) + data

def strided(sizes, strides, *values):
    rank, data = len(sizes), struct.pack(f"<{len(values)}f", *values)
    return struct.pack(f"<BB{2 * rank}qQ", 1, rank, *sizes, *strides, len(data)) + data

def floats(*values):
    return tensor(1, [len(values)], struct.pack(f"<{len(values)}f", *values))

def run(*outputs):
    return struct.pack("<III", 1, 0, len(outputs)) + b"".join(outputs)

def read(count):
    data = b""
    while len(data) < count:
        more = os.read(0, count - len(data))
        if not more:
            sys.exit(0)
        data += more
    return data

class Request:
    def __init__(self, identity, wanted, following, off, programs):
        self.identity, self.wanted, self.following = identity, wanted, following
        self.off, self.programs = off, programs

def serve(perform, hello=lambda: write(answer(0, 0, "fake 1"))):
    hello()
    while True:
        payload = read(struct.unpack("<I", read(4))[0])
        identity, wanted, following, length = struct.unpack_from("<QBII", payload)
        off, at = payload[17:17 + length].decode(), 17 + length
        count, = struct.unpack_from("<I", payload, at)
        programs, at = [], at + 4
        for _ in range(count):
            run, length = struct.unpack_from("<II", payload, at)
            text, at = payload[at + 8:at + 8 + length].decode(), at + 8 + length
            length, = struct.unpack_from("<Q", payload, at)
            programs.append((run, text, payload[at + 8:at + 8 + length]))
            at += 8 + length
        assert at == len(payload)
        os.write(4, f"begin {identity}\n".encode())
        perform(Request(identity, wanted, following, off, programs))

)";

inline WorkerLimits shortLimits() {
  WorkerLimits limits;
  limits.startSeconds = 30;
  limits.seconds = 20;
  return limits;
}

// A worker that answers a request with what the Python statement `perform` does, given `identity`, `text` (of the first
// program) and `request`.
inline WorkerCommand fakeWorker(const std::string& perform) {
  return {{"/usr/bin/python3", "-S", "-c",
           std::string(kFakeWorker) +
               "def perform(request):\n    identity, text = request.identity, request.programs[0][1]\n    " + perform +
               "\n\nserve(perform)\n"},
          {}};
}

// A request of one program.
inline WorkerRequest requestOf(std::string text) {
  WorkerRequest request;
  request.programs.push_back({kAllRuns, std::move(text), ""});
  return request;
}

}  // namespace fuser::fuzz
