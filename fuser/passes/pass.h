#pragma once
// Pass: one rewrite of a fusion, run over and over by the OptimizationPass that registers it.

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser {

// What the passes of a pipeline hand on: how many rewrites they have made, and may make (`option pass_limit = N`, so
// that a wrong rewrite is found by bisection), and what they left. Nobody else edits the fusion meanwhile.
struct PipelineState {
  int64_t limit = std::numeric_limits<int64_t>::max();
  int64_t made = 0;
  std::optional<uint64_t> fingerprint;  // of the fusion now, where invariants are checked; none before the first pass
};

class Pass {
 public:
  explicit Pass(Fusion* fusion) : fusion_(fusion) {}
  virtual ~Pass() = default;
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  // Tells the passes of one list apart in messages. A list's only pass goes by the name of the list's owner.
  virtual std::string_view name() const { return ""; }
  // Rewrites the fusion, and sets modified_ exactly when that changed it. Bit-exact for all values, NaN, infinities and
  // signed zeros included; a value that may round differently loses its origin. Asks mayApply() before each rewrite.
  virtual void runPass(Fusion* fusion) = 0;

  // runPass on this pass' fusion; what isModified() says afterwards. A pass that never asked mayApply() counts as one
  // application where it modified the fusion. Does nothing where no application is left.
  bool run(PipelineState& pipeline) {
    modified_ = false;
    if (pipeline.made >= pipeline.limit) return false;
    pipeline_ = &pipeline;
    const int64_t before = pipeline.made;
    runPass(fusion_);
    if (modified_ && pipeline.made == before) ++pipeline.made;
    pipeline_ = nullptr;
    return modified_;
  }
  // Whether the last run changed the fusion.
  bool isModified() const { return modified_; }
  Fusion* fusion() const { return fusion_; }

 protected:
  // Right before a rewrite that is certain otherwise: whether it may be made. Counts it.
  bool mayApply() {
    if (!pipeline_) return true;
    if (pipeline_->made >= pipeline_->limit) return false;
    ++pipeline_->made;
    return true;
  }

  bool modified_ = false;

 private:
  Fusion* fusion_;
  PipelineState* pipeline_ = nullptr;  // during a run
};

using PassList = std::vector<std::unique_ptr<Pass>>;

}  // namespace fuser
