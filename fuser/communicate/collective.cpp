#include "fuser/communicate/collective.h"

#include "fuser/communicate/collective_traits.h"

namespace fuser {
namespace {

constexpr CollectiveTraits kTraits[] = {
#define COLLECTIVE(name, text, from, to, part, result) \
  {text, Participants::from, Participants::to, Part::part, PartsBecome::result},
#include "fuser/communicate/collective_kinds.def"
#undef COLLECTIVE
};

}  // namespace

const CollectiveTraits& traitsOf(CollectiveKind kind) { return kTraits[static_cast<size_t>(kind)]; }

std::string_view collectiveName(CollectiveKind kind) { return traitsOf(kind).name; }

std::string_view reductionName(Reduction reduction) {
  switch (reduction) {
    case Reduction::Sum: return "sum";
    case Reduction::Product: return "product";
    case Reduction::Max: return "max";
    case Reduction::Min: return "min";
  }
  FUSER_CHECK(false, "bad reduction");
}

bool hasRoot(CollectiveKind kind) {
  return traitsOf(kind).senders == Participants::Root || traitsOf(kind).receivers == Participants::Root;
}

bool reduces(CollectiveKind kind) { return traitsOf(kind).result == PartsBecome::Reduce; }

std::string ranksText(const std::vector<int>& ranks) {
  std::string text = "[";
  for (size_t i = 0; i < ranks.size(); ++i) appendText(text += i ? ", " : "", ranks[i]);
  return text + "]";
}

}  // namespace fuser
