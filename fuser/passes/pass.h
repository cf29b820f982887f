#pragma once
// Pass: one rewrite of a fusion, run over and over by the OptimizationPass that registers it.

#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser {

// How many rewrites the passes of a pipeline have made, and may make: `option pass_limit = N`, so that a wrong rewrite
// is found by bisection.
struct Applications {
  int64_t limit = std::numeric_limits<int64_t>::max();
  int64_t made = 0;
};

class Pass {
 public:
  explicit Pass(Fusion* fusion) : fusion_(fusion) {}
  virtual ~Pass() = default;
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  virtual std::string_view name() const = 0;
  // Rewrites the fusion, and sets modified_ exactly when that changed it. Bit-exact for all values, NaN, infinities and
  // signed zeros included; a value that may round differently loses its origin. Asks mayApply() before each rewrite.
  virtual void runPass(Fusion* fusion) = 0;

  // runPass on this pass' fusion; what isModified() says afterwards. A pass that never asked mayApply() counts as one
  // application where it modified the fusion. Does nothing where no application is left.
  bool run(Applications& applications) {
    modified_ = false;
    if (applications.made >= applications.limit) return false;
    applications_ = &applications;
    const int64_t before = applications.made;
    runPass(fusion_);
    if (modified_ && applications.made == before) ++applications.made;
    applications_ = nullptr;
    return modified_;
  }
  // Whether the last run changed the fusion.
  bool isModified() const { return modified_; }
  Fusion* fusion() const { return fusion_; }

 protected:
  // Right before a rewrite that is certain otherwise: whether it may be made. Counts it.
  bool mayApply() {
    if (!applications_) return true;
    if (applications_->made >= applications_->limit) return false;
    ++applications_->made;
    return true;
  }

  bool modified_ = false;

 private:
  Fusion* fusion_;
  Applications* applications_ = nullptr;  // during a run
};

using PassList = std::vector<std::unique_ptr<Pass>>;

}  // namespace fuser
