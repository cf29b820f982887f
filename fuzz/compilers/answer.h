#pragma once
// What a worker answers (worker_process.h has the bytes). Nothing in it is believed before it was checked.

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "fuser/types/dims.h"
#include "fuser/types/dtype.h"

namespace fuser::fuzz {

enum class AnswerKind : uint8_t {
  Hello,
  Ok,
  Unsupported,   // the target, or its language, does not take the program: no finding
  CompileError,  // it should
  RunError,
};

struct AnswerTensor {
  DataType dtype = DataType::Float;
  Dims sizes;
  Dims strides;          // in elements, of the target's own memory
  std::string elements;  // dense, row-major: numel(sizes) * dtypeSize(dtype) bytes
};

struct AnswerRun {
  uint32_t index = 0;  // of the case's run
  std::vector<AnswerTensor> outputs;
};

struct Answer {
  uint64_t id = 0;
  AnswerKind kind = AnswerKind::Ok;
  uint32_t companions = 0;  // requests that were compiled with it in one
  std::string text;         // the error, or the version
  // Of the first run, with the compilation; of the others; of what the worker did beside.
  uint64_t compileMicroseconds = 0, runMicroseconds = 0, besideMicroseconds = 0;
  std::vector<AnswerRun> runs;
};

// The sentence says what is wrong with an answer.
class BadAnswer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A BadAnswer for anything but a whole answer with this id.
Answer readAnswer(std::string_view payload, uint64_t id);

}  // namespace fuser::fuzz
