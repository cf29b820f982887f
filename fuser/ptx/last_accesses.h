#pragma once
// The last access of each unit of some memory. Of a page of units that threads accessed in order, as they mostly do,
// only the rule is kept: 1.3 bytes a unit. Other pages take 8 bytes a unit more.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace fuser::ptx {

struct Access {
  uint32_t who = 0;  // 0: nobody; a thread, or several of a warp or of a block, with a mark of atomic accesses
  uint32_t time = 0;
  bool operator==(const Access&) const = default;
};

class LastAccesses {
 public:
  static constexpr size_t kPage = 32;  // units: as many as a warp stores at once

  // Nobody has accessed any of them. isReused: a small memory that one block after the other has; its pages stay.
  void reset(size_t units, bool isReused);
  bool empty() const { return pages_.empty(); }

  Access of(size_t unit) const {
    const Page& page = pages_[unit / kPage];
    return page.each ? (*page.each)[unit % kPage] : byRule(page, unit % kPage);
  }
  void set(size_t unit, Access access) {
    Page& page = pages_[unit / kPage];
    if (!page.each) expand(page);
    (*page.each)[unit % kPage] = access;
    if (++page.sets % kPage == 0 && !isReused_) shorten(page);
  }

  // Of everything here, without what allocators add.
  size_t bytes() const;

 private:
  using Each = std::array<Access, kPage>;
  // Unit i has the access of the thread that is (i + phase) / 2^shift behind the first unit's.
  struct Rule {
    Access start;
    uint8_t phase = 0, shift = 0;
    Access of(size_t i) const {
      return start.who == 0 ? Access{} : Access{start.who + static_cast<uint32_t>((i + phase) >> shift), start.time};
    }
  };
  // Without `each`: `first` is the rule of units before `split`, and `second` of those from there on.
  struct Page {
    std::unique_ptr<Each> each;
    Rule first, second;
    uint8_t split = 0;
    uint8_t sets = 0;  // since it was a rule, modulo 256
  };

  void clear();  // none is left; what held them is used again
  static Access byRule(const Page& page, size_t unit);
  void expand(Page& page);
  void shorten(Page& page);
  // The rule that holds for most units from the first one on, and for how many.
  static std::pair<Rule, size_t> longestRule(const Access* each, size_t units);

  std::vector<Page> pages_;
  std::vector<std::unique_ptr<Each>> spare_;  // of pages that were shortened
  bool isReused_ = false;
};

}  // namespace fuser::ptx
