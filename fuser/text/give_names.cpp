#include "fuser/text/give_names.h"

#include "fuser/text/value_names.h"

namespace fuser {

void giveNames(Fusion& fusion, const NamedVals& named) {
  const std::vector<Val*> vals = fusion.usedVals();
  for (Val* val : vals) {
    const auto found = named.find(val->name());
    if (found != named.end() && found->second != val) val->setName("");
  }
  const ValueNames names(fusion);
  for (Val* val : vals) {
    if (!names.of(val).empty()) val->setName(names.of(val));
  }
}

}  // namespace fuser
