#pragma once
// Pass: one rewrite of a fusion, run over and over by the OptimizationPass that registers it.

#include <memory>
#include <string_view>
#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser {

class Pass {
 public:
  explicit Pass(Fusion* fusion) : fusion_(fusion) {}
  virtual ~Pass() = default;
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  virtual std::string_view name() const = 0;
  // Rewrites the fusion, and sets modified_ exactly when that changed it. Bit-exact for all values, NaN, infinities and
  // signed zeros included; a value that may round differently loses its origin.
  virtual void runPass(Fusion* fusion) = 0;

  // runPass on this pass' fusion; what isModified() says afterwards.
  bool run() {
    modified_ = false;
    runPass(fusion_);
    return modified_;
  }
  // Whether the last run changed the fusion.
  bool isModified() const { return modified_; }
  Fusion* fusion() const { return fusion_; }

 protected:
  bool modified_ = false;

 private:
  Fusion* fusion_;
};

using PassList = std::vector<std::unique_ptr<Pass>>;

}  // namespace fuser
