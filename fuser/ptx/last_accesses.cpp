// When a page becomes a rule, and a rule a page.
#include "fuser/ptx/last_accesses.h"

#include <algorithm>
#include <bit>

namespace fuser::ptx {

void LastAccesses::reset(size_t units, bool isReused) {
  const size_t pages = (units + kPage - 1) / kPage;
  const bool stays = isReused && isReused_ && pages_.size() == pages;
  isReused_ = isReused;
  if (!stays) {
    clear();
    pages_.resize(pages);
    return;
  }
  for (Page& page : pages_) {
    if (page.each) page.each->fill({});
  }
}

void LastAccesses::clear() {
  for (Page& page : pages_) {
    if (page.each) spare_.push_back(std::move(page.each));
  }
  pages_.clear();
}

Access LastAccesses::byRule(const Page& page, size_t unit) {
  return unit < page.split ? page.first.of(unit) : page.second.of(unit - page.split);
}

void LastAccesses::expand(Page& page) {
  std::unique_ptr<Each> each;
  if (spare_.empty()) {
    each = std::make_unique<Each>();
  } else {
    each = std::move(spare_.back());
    spare_.pop_back();
  }
  if (page.first.start.who == 0 && page.second.start.who == 0) {
    each->fill({});
  } else {
    for (size_t i = 0; i < kPage; ++i) (*each)[i] = byRule(page, i);
  }
  page.each = std::move(each);
  page.sets = 0;
}

// The first thread's units are a part of a thread's, or all; the second one's are all, unless the units end there.
std::pair<LastAccesses::Rule, size_t> LastAccesses::longestRule(const Access* each, size_t units) {
  const auto endOfRun = [&](size_t i) {
    size_t end = i + 1;
    while (end < units && each[end] == each[i]) ++end;
    return end;
  };
  const size_t first = endOfRun(0);
  const bool goesOn = each[0].who != 0 && first < units && each[first] == Access{each[0].who + 1, each[0].time};
  size_t holds = goesOn ? endOfRun(first) : first;
  const size_t second = holds - first;
  const size_t width = std::bit_ceil(std::max(first, second));
  const Rule rule{each[0], static_cast<uint8_t>(width - first), static_cast<uint8_t>(std::countr_zero(width))};
  while (holds < units && each[holds] == rule.of(holds)) ++holds;
  return {rule, holds};
}

// Does nothing where no two rules hold.
void LastAccesses::shorten(Page& page) {
  const auto [first, split] = longestRule(page.each->data(), kPage);
  if (split < kPage) {
    const auto [second, rest] = longestRule(page.each->data() + split, kPage - split);
    if (split + rest < kPage) return;
    page.second = second;
  }
  page.first = first;
  page.split = static_cast<uint8_t>(split);
  spare_.push_back(std::move(page.each));
}

size_t LastAccesses::bytes() const {
  const auto expanded =
      std::count_if(pages_.begin(), pages_.end(), [](const Page& page) { return page.each != nullptr; });
  return pages_.size() * sizeof(Page) + (static_cast<size_t>(expanded) + spare_.size()) * sizeof(Each);
}

}  // namespace fuser::ptx
