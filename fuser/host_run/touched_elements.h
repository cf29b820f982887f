#pragma once
// TouchedElements: which work accessed an element last, by its address. Elements lie side by side, so that pages keep
// them, and a row of elements takes one lookup a page. A page takes up to 8 times the memory that it stands for,
// however little of that is touched.

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace fuser {

// Of an element, the last work that wrote it, and one that has read it since.
struct TouchedElement {
  using Mark = uint32_t;  // a number of work, from 1; 0: none
  Mark write = 0;
  Mark read : 31 = 0;  // the last of reads that are ordered
  bool hasOtherReads : 1 = false;
};

static_assert(sizeof(TouchedElement) == 8);

class TouchedElements {
 public:
  // The element of so many bytes, which nothing has touched where it is new. It is counted from then on. The next call
  // may move it.
  TouchedElement& at(uintptr_t address, size_t bytes);
  // Forgets the element; false if there was none.
  bool erase(uintptr_t address);
  size_t count() const { return count_; }

 private:
  static constexpr uintptr_t kPageBytes = 1024;
  struct Page {
    int unitShift = 0;  // of the bytes of the smallest element so far
    std::vector<TouchedElement> elements;
    std::vector<bool> isKnown;
    size_t known = 0;
  };
  Page* pageOf(uintptr_t address);  // null: nothing there was touched
  static void refine(Page& page, int unitShift);

  std::unordered_map<uintptr_t, std::unique_ptr<Page>> pages_;  // by address / kPageBytes; for lookups only
  uintptr_t lastNumber_ = 0;
  Page* last_ = nullptr;  // the page that was looked up last
  size_t count_ = 0;
};

}  // namespace fuser
