#include "fuzz/compilers/answer.h"

#include <cstring>

#include "fuser/support/check.h"

namespace fuser::fuzz {
namespace {

constexpr size_t kMostRank = 64;  // PyTorch's own limit

template <class... Parts>
void check(bool holds, const Parts&... parts) {
  if (!holds) throw BadAnswer(concat(parts...));
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <class Number>
  Number number(std::string_view what) {
    Number value;
    std::memcpy(&value, take(sizeof value, what).data(), sizeof value);
    return value;
  }
  std::string_view take(uint64_t count, std::string_view what) {
    check(count <= bytes_.size(), "its answer ends inside of ", what);
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }
  size_t left() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
};

// The number of bytes of the elements.
uint64_t bytesOf(DataType dtype, const Dims& sizes) {
  uint64_t bytes = dtypeSize(dtype);
  bool isEmpty = false;
  for (const int64_t size : sizes) {
    check(size >= 0, "an output has a negative size");
    isEmpty |= size == 0;
  }
  if (isEmpty) return 0;
  for (const int64_t size : sizes) {
    check(!__builtin_mul_overflow(bytes, static_cast<uint64_t>(size), &bytes), "an output's size overflows");
  }
  return bytes;
}

AnswerTensor readTensor(Reader& reader) {
  AnswerTensor tensor;
  const auto dtype = reader.number<uint8_t>("a dtype");
  check(dtype < std::size(kAllDataTypes), "an output has the dtype ", int{dtype}, ", which there is not");
  tensor.dtype = kAllDataTypes[dtype];
  const size_t rank = reader.number<uint8_t>("a rank");
  check(rank <= kMostRank, "an output has ", rank, " axes");
  for (Dims* dims : {&tensor.sizes, &tensor.strides}) {
    for (size_t axis = 0; axis < rank; ++axis) dims->push_back(reader.number<int64_t>("a shape"));
  }
  const uint64_t wanted = bytesOf(tensor.dtype, tensor.sizes);
  const auto length = reader.number<uint64_t>("a length");
  check(length == wanted, "an output has ", length, " bytes, and its shape and dtype say ", wanted);
  tensor.elements = reader.take(length, "an output's elements");
  return tensor;
}

AnswerRun readRun(Reader& reader) {
  AnswerRun run;
  run.index = reader.number<uint32_t>("a run");
  const auto outputs = reader.number<uint32_t>("a run");
  // Each has bytes, so that no number makes a loop long.
  for (uint32_t i = 0; i < outputs; ++i) run.outputs.push_back(readTensor(reader));
  return run;
}

}  // namespace

Answer readAnswer(std::string_view payload, uint64_t id) {
  Reader reader(payload);
  Answer answer;
  answer.id = reader.number<uint64_t>("its head");
  check(answer.id == id, "it answers program ", answer.id, " instead of ", id);
  const auto kind = reader.number<uint8_t>("its head");
  check(kind <= static_cast<uint8_t>(AnswerKind::RunError), "it answers with the kind ", int{kind},
        ", which there is not");
  answer.kind = static_cast<AnswerKind>(kind);
  answer.companions = reader.number<uint32_t>("its head");
  for (uint64_t* time : {&answer.compileMicroseconds, &answer.runMicroseconds, &answer.besideMicroseconds})
    *time = reader.number<uint64_t>("its head");
  answer.text = reader.take(reader.number<uint32_t>("a text"), "a text");
  const auto runs = reader.number<uint32_t>("the runs");
  for (uint32_t i = 0; i < runs; ++i) answer.runs.push_back(readRun(reader));
  check(reader.left() == 0, "its answer has ", reader.left(), " bytes too many");
  return answer;
}

}  // namespace fuser::fuzz
