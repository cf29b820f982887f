// Answers: nothing in them is believed before it was checked.

#include "fuzz/compilers/answer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

namespace fuser::fuzz {
namespace {

// Bytes of an answer, little-endian.
class Bytes {
 public:
  template <class Number>
  Bytes& add(Number number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
    return *this;
  }
  Bytes& add(const std::string& text) {
    add(static_cast<uint32_t>(text.size()));
    bytes_ += text;
    return *this;
  }
  const std::string& text() const { return bytes_; }

 private:
  std::string bytes_;
};

struct Shape {
  uint8_t dtype = static_cast<uint8_t>(DataType::Float);
  std::vector<int64_t> sizes = {2, 3};
  uint64_t bytes = 24;
};

std::string answerWith(const Shape& shape, uint64_t id = 7, uint8_t kind = 1) {
  Bytes bytes;
  bytes.add(id)
      .add(kind)
      .add(uint32_t{3})
      .add(uint64_t{11})
      .add(uint64_t{12})
      .add(uint64_t{13})
      .add(std::string("words"))
      .add(uint32_t{1});
  bytes.add(uint32_t{0}).add(uint32_t{1}).add(shape.dtype).add(static_cast<uint8_t>(shape.sizes.size()));
  for (const int64_t size : shape.sizes) bytes.add(size);
  for (size_t axis = 0; axis < shape.sizes.size(); ++axis) bytes.add(int64_t{1});
  bytes.add(shape.bytes);
  return bytes.text() + std::string(24, 'x');
}

std::string problemOf(const std::string& payload, uint64_t id = 7) {
  try {
    readAnswer(payload, id);
  } catch (const BadAnswer& bad) {
    return bad.what();
  }
  return "";
}

TEST(AnswerTest, AWholeAnswerIsRead) {
  const Answer answer = readAnswer(answerWith({}), 7);
  EXPECT_EQ(answer.kind, AnswerKind::Ok);
  EXPECT_EQ(answer.text, "words");
  EXPECT_EQ(answer.compileMicroseconds, 11u);
  EXPECT_EQ(answer.runMicroseconds, 12u);
  EXPECT_EQ(answer.besideMicroseconds, 13u);
  EXPECT_EQ(answer.companions, 3u);
  ASSERT_EQ(answer.runs.size(), 1u);
  ASSERT_EQ(answer.runs[0].outputs.size(), 1u);
  const AnswerTensor& output = answer.runs[0].outputs[0];
  EXPECT_EQ(output.dtype, DataType::Float);
  EXPECT_EQ(output.sizes, (Dims{2, 3}));
  EXPECT_EQ(output.elements, std::string(24, 'x'));
}

TEST(AnswerTest, EveryCutAnswerIsRefused) {
  const std::string whole = answerWith({});
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(problemOf(whole.substr(0, size)), "") << size;
  }
  EXPECT_EQ(problemOf(whole + "y"), "its answer has 1 bytes too many");
}

TEST(AnswerTest, LiesAboutShapesAreNamed) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(problemOf(answerWith({.sizes = {2, 4}})), "an output has 24 bytes, and its shape and dtype say 32");
  EXPECT_EQ(problemOf(answerWith({.bytes = uint64_t{1} << 60})),
            "an output has 1152921504606846976 bytes, and its shape and dtype say 24");
  EXPECT_EQ(problemOf(answerWith({.sizes = {-2, -3}})), "an output has a negative size");
  EXPECT_EQ(problemOf(answerWith({.sizes = {kMost, kMost}})), "an output's size overflows");
  EXPECT_EQ(problemOf(answerWith({.dtype = 99})), "an output has the dtype 99, which there is not");
  EXPECT_EQ(problemOf(answerWith({.sizes = std::vector<int64_t>(65, 1)})), "an output has 65 axes");
  EXPECT_EQ(problemOf(answerWith({}, 8)), "it answers program 8 instead of 7");
  EXPECT_EQ(problemOf(answerWith({}, 7, 5)), "it answers with the kind 5, which there is not");
}

TEST(AnswerTest, AnEmptyOutputMayHaveAnyOtherSize) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(problemOf(answerWith({.sizes = {0, kMost, kMost}, .bytes = 0})), "its answer has 24 bytes too many");
}

}  // namespace
}  // namespace fuser::fuzz
