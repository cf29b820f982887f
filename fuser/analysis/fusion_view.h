#pragma once
// FusionView: a part of a fusion (a candidate segment) without a copy of it, and what is known about its sizes. The
// segmenter asks schedulers about many more parts than it keeps, so a view must be cheap.

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fuser/ir/fusion.h"
#include "fuser/types/device_properties.h"

namespace fuser {

// What a number is the limit of, with which a size is compared: what changes past it. A block: which threads share
// work, and how; a vector: whether there is one; a tile: its sides; a row: whether, and in how many elements, it stays
// on chip; a grid: how many blocks there are along an axis, or may be.
enum class SizeLimit : uint8_t { None, Block, Vector, Tile, Row, Grid };

// The questions that compilation may ask about run-time sizes. Each question is recorded with its answer, as a guard:
// the compiled program is valid for all sizes that give the same answers, and the cache checks that. A question about a
// constant is not recorded, since its answer never changes. An object belongs to one compilation and is not
// thread-safe.
class SizeFacts {
 public:
  struct Question {
    enum class Kind : uint8_t { AtMost, DivisibleBy } kind;
    IntExpr size;     // in elements; an expression of the original fusion's arena
    int64_t operand;  // AtMost: the inclusive bound; DivisibleBy: the divisor, not 0
    SizeLimit limit = SizeLimit::None;
    auto operator<=>(const Question&) const = default;
  };
  // `valueOf` returns the run-time value of an expression over the original fusion's extents.
  explicit SizeFacts(std::function<int64_t(IntExpr)> valueOf) : valueOf_(std::move(valueOf)) {}

  bool atMost(IntExpr size, int64_t bound, SizeLimit limit = SizeLimit::None) {
    return ask({Question::Kind::AtMost, size, bound, limit});
  }
  bool isZero(IntExpr size) { return atMost(size, 0); }
  bool divisibleBy(IntExpr size, int64_t divisor) {
    return ask({Question::Kind::DivisibleBy, size, divisor, SizeLimit::Vector});
  }

  // The recorded questions and answers, in order of the first occurrence.
  const std::vector<std::pair<Question, bool>>& asked() const { return asked_; }
  // The answer of a question for another value of its size.
  static bool answer(const Question& question, int64_t value);
  // "(i0 * i1) is not divisible by 4", for an answer of false.
  static std::string toString(const Question& question, bool answer, const std::string& size);

 private:
  bool ask(Question question);

  std::function<int64_t(IntExpr)> valueOf_;
  std::vector<std::pair<Question, bool>> asked_;
};

// What compilation may assume about an input tensor beyond its type. It is part of the cache key.
struct InputLayout {
  // In bytes: the largest power of two up to 16 that divides the address and all strides of axes that are not declared
  // contiguous, except the fastest axis. (The strides of contiguous axes follow from sizes: see SizeFacts.)
  int alignment = 16;
};

struct FusionView {
  const Fusion* fusion = nullptr;
  std::vector<Expr*> exprs;    // in topological order
  std::vector<Val*> inputs;    // values read from outside, except literals and plain extents
  std::vector<Val*> outputs;   // values read outside, and fusion outputs
  SizeFacts* sizes = nullptr;  // null: a scheduler must assume nothing about sizes
  DeviceProperties device = defaultDevice();
};

}  // namespace fuser
