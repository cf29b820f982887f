// Pages of elements.
#include "fuser/host_run/touched_elements.h"

#include <bit>

namespace fuser {

TouchedElements::Page* TouchedElements::pageOf(uintptr_t address) {
  const uintptr_t number = address / kPageBytes;
  if (last_ && number == lastNumber_) return last_;
  const auto found = pages_.find(number);
  if (found == pages_.end()) return nullptr;
  lastNumber_ = number;
  return last_ = found->second.get();
}

// Elements keep their addresses: each is the first of the smaller ones that take its place.
void TouchedElements::refine(Page& page, int unitShift) {
  const size_t step = size_t{1} << (page.unitShift - unitShift);
  Page finer{unitShift, std::vector<TouchedElement>(kPageBytes >> unitShift),
             std::vector<bool>(kPageBytes >> unitShift), page.known};
  for (size_t i = 0; i < page.elements.size(); ++i) {
    finer.elements[i * step] = page.elements[i];
    finer.isKnown[i * step] = page.isKnown[i];
  }
  page = std::move(finer);
}

TouchedElement& TouchedElements::at(uintptr_t address, size_t bytes) {
  const int unitShift = std::countr_zero(address | bytes | kPageBytes);
  Page* page = pageOf(address);
  if (!page) {
    const size_t units = kPageBytes >> unitShift;
    lastNumber_ = address / kPageBytes;
    std::unique_ptr<Page>& made = pages_[lastNumber_];
    made = std::make_unique<Page>(Page{unitShift, std::vector<TouchedElement>(units), std::vector<bool>(units), 0});
    last_ = page = made.get();
  }
  if (unitShift < page->unitShift) refine(*page, unitShift);
  const size_t i = (address % kPageBytes) >> page->unitShift;
  if (!page->isKnown[i]) {
    page->isKnown[i] = true;
    ++page->known;
    ++count_;
  }
  return page->elements[i];
}

bool TouchedElements::erase(uintptr_t address) {
  Page* page = pageOf(address);
  if (!page || address % (uintptr_t{1} << page->unitShift) != 0) return false;
  const size_t i = (address % kPageBytes) >> page->unitShift;
  if (!page->isKnown[i]) return false;
  page->isKnown[i] = false;
  page->elements[i] = {};
  --count_;
  if (--page->known == 0) {
    pages_.erase(address / kPageBytes);
    last_ = nullptr;
  }
  return true;
}

}  // namespace fuser
