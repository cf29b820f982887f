#pragma once
// EditExtents: the arena of an edit's sizes. Symbols are identified by name: "i0" for an extent, "%n" for a scalar.
// Copies share the arena, which only grows, so that copying an edit is cheap.

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "fuser/ir/attributes.h"
#include "fuser/ir/infer.h"
#include "fuser/types/int_expr.h"

namespace fuser::fuzz {

class EditExtents {
 public:
  IntExpr constant(int64_t value) { return ints_->constant(value); }
  IntExpr named(const std::string& name);
  // The name of a symbol.
  const std::string& nameOf(IntExpr symbol) const { return ints_->symbolOf(symbol).name; }

  // Copies a size from another arena; null stays null. `image` maps its symbols to this arena.
  using Image = std::function<IntExpr(IntExpr symbol)>;
  IntExpr import(IntExpr extent, const Image& image) { return extent ? ints_->import(extent, image) : nullptr; }

 private:
  // symbols_: for lookups by name.
  std::shared_ptr<IntExprArena> ints_ = std::make_shared<IntExprArena>();
  std::shared_ptr<std::map<std::string, IntExpr>> symbols_ = std::make_shared<std::map<std::string, IntExpr>>();
};

// Copies of attributes and axes with each size mapped; null stays null.
using MapExtent = std::function<IntExpr(IntExpr)>;
Attributes withExtents(Attributes attributes, const MapExtent& map);
std::vector<AxisType> withExtents(std::vector<AxisType> axes, const MapExtent& map);

}  // namespace fuser::fuzz
