// A segment of the compiled case alone: its outputs are the outputs, what it loads are inputs with their recorded
// values.
//   x -> [a -> b] -> [c -> d] -> out   becomes   b -> [c -> d] -> out
#include <algorithm>

#include "fuzz/minimize/reducers.h"

namespace fuser::fuzz {
namespace {

std::optional<ValId> idOf(const Fusion& fusion, const std::string& name) {
  for (const Val* val : fusion.usedVals()) {
    if (val->name() == name) return val->id();
  }
  return std::nullopt;
}

}  // namespace

bool cutSegment(Search& search) {
  std::vector<SegmentNames> segments = search.segments();
  if (segments.size() < 2) return false;
  const Fusion& fusion = *search.best().fusion;
  std::vector<std::string> suspects;
  for (ValId id : search.suspects()) suspects.push_back(fusion.allVals()[id]->name());
  const auto speaks = [&](const SegmentNames& segment) {
    return std::any_of(segment.outputs.begin(), segment.outputs.end(), [&](const std::string& name) {
      return !suspects.empty() && name == suspects.front();
    });
  };
  std::stable_partition(segments.begin(), segments.end(), speaks);
  for (const SegmentNames& segment : segments) {
    Change change;
    change.outputs.emplace();
    for (const std::string& name : segment.outputs) {
      if (const std::optional<ValId> id = idOf(fusion, name)) change.outputs->push_back(*id);
    }
    for (const std::string& name : segment.inputs) {
      const std::optional<ValId> id = idOf(fusion, name);
      if (id && fusion.allVals()[*id]->definition()) change.asInputs.insert(*id);
    }
    if (!change.outputs->empty() && search.attempt(change)) return true;
  }
  return false;
}

}  // namespace fuser::fuzz
