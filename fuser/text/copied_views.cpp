#include "fuser/text/copied_views.h"

#include "fuser/ir/builder.h"
#include "fuser/ir/updates.h"

namespace fuser::text {
namespace {

// `view`, a view of `from`, as one of another tensor of the same axes.
TensorView* viewAgain(Fusion& fusion, const TensorView* view, const TensorView* from, TensorView* to,
                      const std::string& name) {
  if (view == from) return to;
  const Expr* maker = view->definition();
  const auto* operand = maker->input(0)->as<TensorView>();
  TensorView* again = viewAgain(fusion, operand, from, to, operand->name());
  return build::structuralTensor(fusion, maker->op(), {again}, maker->attributes(), name);
}

}  // namespace

void CopiedViews::add(const Expansion& expansion, TensorView* of, const NamedAttributes& attributes,
                      TensorView* result) {
  copies_.push_back({&expansion, of, attributes, {}, false});
  noteResult(copies_.size() - 1, result);
}

void CopiedViews::noteResult(size_t copy, TensorView* result) {
  copies_[copy].results.push_back(result);
  places_[storageOf(result)] = {copy, result};
}

const CopiedViews::Place* CopiedViews::placeOf(const TensorView* tensor) const {
  if (places_.empty()) return nullptr;
  const auto found = places_.find(storageOf(tensor));
  return found == places_.end() ? nullptr : &found->second;
}

const CopiedViews::Copy* CopiedViews::copyOf(const TensorView* tensor) const {
  const Place* place = placeOf(tensor);
  return place ? &copies_[place->copy] : nullptr;
}

TensorView* CopiedViews::latest(Fusion& fusion, TensorView* tensor, const std::string& name) {
  const Place* found = placeOf(tensor);
  if (!found) return tensor;
  const Place place = *found;
  if (copies_[place.copy].isStale) {
    Copy copy = copies_[place.copy];
    TensorView* of = latest(fusion, copy.of, copy.of->name());
    const std::string& own = tensor == place.result ? name : place.result->name();
    copies_[place.copy].isStale = false;
    noteResult(place.copy, copy.expansion->build(fusion, {of}, copy.attributes, own));
  }
  TensorView* result = copies_[place.copy].result();
  return place.result == result ? tensor : viewAgain(fusion, tensor, place.result, result, name);
}

CopiedViews::Opened CopiedViews::open(Fusion& fusion, TensorView* target, const std::string& name) const {
  TensorView* result = copyOf(target)->result();
  TensorView* copy = build::set(fusion, result, name);
  return {copy, viewAgain(fusion, target, result, copy, name + ".v")};
}

void CopiedViews::noteUpdate(const TensorView* storage) {
  for (Copy& copy : copies_) {
    const Copy* shown = copyOf(copy.of);  // a copy itself, that stands before
    copy.isStale |= storageOf(copy.of) == storage || (shown && shown->isStale);
  }
}

void CopiedViews::restore(CopiedViews outside) {
  for (size_t i = 0; i < outside.copies_.size(); ++i) {
    outside.copies_[i].isStale |= copies_[i].isStale || copies_[i].result() != outside.copies_[i].result();
  }
  *this = std::move(outside);
}

}  // namespace fuser::text
