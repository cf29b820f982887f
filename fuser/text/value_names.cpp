#include "fuser/text/value_names.h"

#include <functional>
#include <set>

#include "fuser/text/token_rules.h"


namespace fuser {
namespace {

// Keeps each valid name for its first holder, then generates names for the others.
void makeUnique(std::vector<std::string>& names, const std::function<bool(std::string_view)>& valid,
                const std::function<char(size_t)>& letterOf) {
  std::set<std::string> taken;
  std::vector<size_t> unnamed;
  for (size_t i = 0; i < names.size(); ++i) {
    if (!valid(names[i]) || !taken.insert(names[i]).second) unnamed.push_back(i);
  }
  size_t next[128] = {};
  for (size_t i : unnamed) {
    const char letter = letterOf(i);
    do {
      names[i] = letter + std::to_string(next[static_cast<size_t>(letter)]++);
    } while (!taken.insert(names[i]).second);
  }
}

}  // namespace

ValueNames::ValueNames(const Fusion& fusion) {
  const std::vector<Val*> vals = fusion.usedVals();
  values_.resize(fusion.valCount());
  std::vector<const Val*> named;
  std::vector<std::string> names;
  for (const Val* val : vals) {
    if (val->isScalar() && val->as<Scalar>()->isConstant()) continue;  // literals print as such
    named.push_back(val);
    names.push_back(val->name());
  }
  makeUnique(names, text::isName, [&](size_t i) { return named[i]->isTensor() ? 't' : 's'; });
  for (size_t i = 0; i < named.size(); ++i) values_[named[i]->id()] = std::move(names[i]);

  const std::vector<IntSymbol>& symbols = fusion.ints().symbols();
  for (const IntSymbol& symbol : symbols) {
    symbols_.push_back(fusion.scalarOf(symbol.expr) || symbol.extent ? "" : symbol.name);
  }
  makeUnique(symbols_, text::isIdentifier, [](size_t) { return 'd'; });
}

}  // namespace fuser
