#include "fuser/analysis/schedule_rules.h"

#include "fuser/analysis/compile_observer.h"

namespace fuser {

void ScheduleRules::refuse(int rule, const std::string& why) const {
  bool passes = false;
  for (CompileObserver* observer : observers_) passes |= observer->letsPass(rule, why);
  FUSER_USER_CHECK(passes, "rule ", rule, ": ", why);
}

}  // namespace fuser
