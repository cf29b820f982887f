#pragma once
// What PyTorch makes a view of a tensor's memory, and the language a copy (Expansion::scatter): the copy is made again
// when it, or a view of it, is read after an update of that memory.

#include <map>
#include <string>
#include <vector>

#include "fuser/text/expansions.h"

namespace fuser::text {

class CopiedViews {
 public:
  // One such copy, of memory that `of` views.
  struct Copy {
    const Expansion* expansion;
    TensorView* of;
    NamedAttributes attributes;
    std::vector<TensorView*> results;  // each time that it was made; the last one counts
    bool isStale = false;
    TensorView* result() const { return results.back(); }
  };

  void add(const Expansion& expansion, TensorView* of, const NamedAttributes& attributes, TensorView* result);

  // The copy that a tensor is, or is a view of; null: of none. Valid until the next call that makes one.
  const Copy* copyOf(const TensorView* tensor) const;
  // The tensor, as memory is now: of the name `name` if it is made again.
  TensorView* latest(Fusion& fusion, TensorView* tensor, const std::string& name);
  // The latest copy, in memory of its own; and in it what `target`, a view of the latest copy, shows of that.
  struct Opened {
    TensorView* copy;
    TensorView* view;
  };
  Opened open(Fusion& fusion, TensorView* target, const std::string& name) const;
  // After an update of this storage.
  void noteUpdate(const TensorView* storage);

  // At the end of a side of a branch: copies that were made on it are of that side; those that an update there has made
  // stale, are so outside.
  void restore(CopiedViews outside);

 private:
  struct Place {
    size_t copy;
    TensorView* result;  // the one of the copy's results that lies in that storage
  };

  const Place* placeOf(const TensorView* tensor) const;
  void noteResult(size_t copy, TensorView* result);

  std::vector<Copy> copies_;                   // in the order of the text
  std::map<const TensorView*, Place> places_;  // by storage; for look-ups
};

}  // namespace fuser::text
