#pragma once
// Pass: one rewrite of a fusion. The OptimizationPass that registers it runs it until nothing changes.

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser {

// The state that the passes of a pipeline share: the number of rewrites made and their limit (`option pass_limit = N`,
// which finds a wrong rewrite by bisection), and the fusion's fingerprint. Nothing else may edit the fusion meanwhile.
struct PipelineState {
  int64_t limit = std::numeric_limits<int64_t>::max();
  int64_t rewrites = 0;
  std::optional<uint64_t> fingerprint;  // the fusion's, if checkInvariants; nullopt before the first pass
};

class Pass {
 public:
  explicit Pass(Fusion* fusion) : fusion_(fusion) {}
  virtual ~Pass() = default;
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  // Distinguishes the passes of one list in messages. If empty, messages use the name of the OptimizationPass.
  virtual std::string_view name() const { return ""; }
  // Rewrites the fusion; sets modified_ exactly if it changed. Bit-exact for all values, including NaN, infinities and
  // signed zeros; a value that may round differently loses its origin. Calls mayApply() before each rewrite.
  virtual void runPass(Fusion* fusion) = 0;

  // Calls runPass on the pass' fusion and returns whether it changed. A pass that changed the fusion without calling
  // mayApply() counts as one rewrite. Does nothing if the limit is reached.
  bool run(PipelineState& pipeline) {
    modified_ = false;
    if (pipeline.rewrites >= pipeline.limit) return false;
    pipeline_ = &pipeline;
    const int64_t before = pipeline.rewrites;
    runPass(fusion_);
    if (modified_ && pipeline.rewrites == before) ++pipeline.rewrites;
    pipeline_ = nullptr;
    return modified_;
  }
  Fusion* fusion() const { return fusion_; }

 protected:
  // Whether the limit allows one more rewrite; counts it. Call it right before a rewrite whose conditions all hold.
  bool mayApply() {
    if (!pipeline_) return true;
    if (pipeline_->rewrites >= pipeline_->limit) return false;
    ++pipeline_->rewrites;
    return true;
  }

  bool modified_ = false;

 private:
  Fusion* fusion_;
  PipelineState* pipeline_ = nullptr;  // during a run
};

using PassList = std::vector<std::unique_ptr<Pass>>;

}  // namespace fuser
