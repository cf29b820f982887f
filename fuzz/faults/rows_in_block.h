#pragma once
// How a kernel's block reduces rows, and what it keeps of them between the passes over a row.

#include <array>
#include <vector>

#include "fuser/kernel/kernel.h"

namespace fuser::fuzz {

// The thread dimensions of the block along which a tensor's loops are reduced.
std::array<bool, 3> reducedThreads(const TensorView* tensor);

// Whether the buffer holds a reduction's results or parts of them. False for a parsed kernel, which has no sources.
bool isOfReduction(const Buffer& buffer);

// The buffers of several elements that are stored before a reduction ends and read after it. Those of reductions, which
// outlive it by themselves, are not among them.
class KeptRows {
 public:
  explicit KeptRows(const Kernel& kernel);  // which must outlive this
  bool isKept(const Buffer& buffer) const;
  bool in(MemoryType memory) const;  // whether some are

 private:
  // Statements and the ends of loops are numbered in preorder.
  struct Uses {
    int firstStore = -1, lastLoad = -1;
  };
  bool visit(const Body& body);  // returns whether a statement of a reduction stands in no loop of the body
  bool note(const Statement& statement);
  void load(const Access& access);
  void store(const Access& access);

  const Kernel& kernel_;
  std::vector<Uses> uses_;  // by buffer
  std::vector<int> ends_;   // of loops that reduce
  int place_ = 0;
};

}  // namespace fuser::fuzz
