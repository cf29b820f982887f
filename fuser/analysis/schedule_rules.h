#pragma once
// ScheduleRules: what becomes of a schedule that breaks a rule (fuser/schedule/check.cpp numbers them). It is refused,
// unless an observer lets it pass (CompileObserver::letsPass): so tests run what the rules reject, and hold them
// against interp. What no kernel can be made of is refused anyway, and does not ask here.

#include <span>
#include <string>

#include "fuser/support/check.h"

namespace fuser {

class CompileObserver;

class ScheduleRules {
 public:
  ScheduleRules() = default;  // refuses everything
  // The observers must outlive this object.
  explicit ScheduleRules(std::span<CompileObserver* const> observers) : observers_(observers) {}

  // A UserError "rule 5: why" if the rule is not kept and no observer lets that pass. The message is made only then.
  template <class... Parts>
  void require(bool kept, int rule, const Parts&... why) const {
    if (!kept) [[unlikely]]
      refuse(rule, concat(why...));
  }

 private:
  void refuse(int rule, const std::string& why) const;

  std::span<CompileObserver* const> observers_;
};

}  // namespace fuser
