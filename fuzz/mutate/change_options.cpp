// ChangeOptions: what a case may choose of compilation. Passes by the names that other options of the case may hold
// too.

#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {

bool mutateChangeOptions(CaseEdit& edit, const CaseEdit*, Choices& choices) {
  switch (choices.index(6)) {
    case 0: edit.options.probes = !edit.options.probes; return true;
    case 1: edit.options.contraction = !edit.options.contraction; return true;
    case 2: edit.options.deterministic = !edit.options.deterministic; return true;
    case 3: edit.options.ioToLowerPrecision = !edit.options.ioToLowerPrecision; return true;
    case 4: edit.options.device = choices.index(namedDevices().size()); return true;
    default: {
      static const std::vector<std::string> kPasses = {"PreSegmenter",
                                                       "ExactMappedExtentSubstitutionPass",
                                                       "RemoveEmptyPass",
                                                       "DeadCodePass",
                                                       "RemoveBcastSqueezePass",
                                                       "ConsecutiveCastPass",
                                                       "MarkAliasesPreparePass",
                                                       "AllocationDomainPass"};
      const std::string pass = choices.pick(kPasses);
      if (edit.options.disabledPasses.erase(pass) == 0) edit.options.disabledPasses.insert(pass);
      return true;
    }
  }
}

}  // namespace fuser::fuzz
