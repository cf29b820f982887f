#pragma once
// FusionView: a part of a fusion (a candidate segment), with what is known of its sizes. Cheap: it owns only lists. The
// segmenter asks schedulers about many more parts than it keeps, so a view is no clone.

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser {

// The questions that compilation may ask of run-time sizes. Every question asked is recorded with its answer: a
// compilation is valid for all sizes that give the same answers (the cache's "size classes consulted"). A question
// about a constant is answered and not recorded: it has one answer in every run. One compilation's; not for several
// threads.
class SizeFacts {
 public:
  struct Question {
    enum class Kind : uint8_t { AtMost, DivisibleBy } kind;
    IntExpr size;     // elements; of the original fusion's arena
    int64_t operand;  // the greatest size that AtMost means, or the divisor, which is not 0
    auto operator<=>(const Question&) const = default;
  };
  // valueOf: the run-time value of any expression over the original fusion's extents; what it refers to outlives this.
  explicit SizeFacts(std::function<int64_t(IntExpr)> valueOf) : valueOf_(std::move(valueOf)) {}

  bool atMost(IntExpr size, int64_t bound) { return ask({Question::Kind::AtMost, size, bound}); }
  bool isZero(IntExpr size) { return atMost(size, 0); }
  bool divisibleBy(IntExpr size, int64_t divisor) { return ask({Question::Kind::DivisibleBy, size, divisor}); }

  // In the order of first asking.
  const std::vector<std::pair<Question, bool>>& asked() const { return asked_; }
  // What the question's answer is for this value of its size: whether other sizes give the same answers.
  static bool answer(const Question& question, int64_t value);

 private:
  bool ask(Question question);

  std::function<int64_t(IntExpr)> valueOf_;
  std::vector<std::pair<Question, bool>> asked_;
};

// What compilation may know of an input tensor beside its type: part of the cache's key.
struct InputLayout {
  // Largest power of two up to 16 (bytes) that divides the address, and the strides of the axes that are not declared
  // contiguous, but for the fastest axis. (The strides of contiguous axes follow from sizes: ask SizeFacts.)
  int alignment = 16;
};

struct FusionView {
  const Fusion* fusion = nullptr;
  std::vector<Expr*> exprs;    // topological order
  std::vector<Val*> inputs;    // read from outside, literals and plain extents excluded
  std::vector<Val*> outputs;   // read outside, or fusion outputs
  SizeFacts* sizes = nullptr;  // may be null: then a scheduler assumes nothing
};

}  // namespace fuser
