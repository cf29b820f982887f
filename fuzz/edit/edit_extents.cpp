#include "fuzz/edit/edit_extents.h"

namespace fuser::fuzz {

// A scalar's range holds an extent's: what is simplified here holds wherever the size is imported to.
IntExpr EditExtents::named(const std::string& name) {
  constexpr int64_t kLimit = int64_t{1} << 40;
  IntExpr& symbol = (*symbols_)[name];
  if (!symbol) symbol = ints_->symbol(name, {name.starts_with('%') ? -kLimit : 0, kLimit});
  return symbol;
}

Attributes withExtents(Attributes attributes, const MapExtent& map) {
  for (IntExpr& extent : attributes.allIntegers()) extent = extent ? map(extent) : nullptr;
  return attributes;
}

std::vector<AxisType> withExtents(std::vector<AxisType> axes, const MapExtent& map) {
  for (AxisType& axis : axes) {
    axis.extent = map(axis.extent);
    axis.expandedExtent = axis.expandedExtent ? map(axis.expandedExtent) : nullptr;
  }
  return axes;
}

}  // namespace fuser::fuzz
