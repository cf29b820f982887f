#pragma once
// HostIrNames: resolves the names in a host program's text: values and tensors, loop indices, streams, kernels,
// extents; communications and outputs by number. Private to this folder.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fuser/host_ir/host_ir_container.h"
#include "fuser/host_ir/host_ir_line.h"

namespace fuser {

// Each function reads one name from the line and resolves it; an unknown name is a UserError with the line number.
class HostIrNames {
 public:
  // The program must outlive this object. Streams are created in it when they are named first.
  explicit HostIrNames(HostIrContainer& program);

  const HostIrContainer& program() const { return program_; }
  Fusion& fusion() const { return program_.fusion(); }

  const Val* value(HostIrLine& line);
  const TensorView* tensor(HostIrLine& line);
  const Val* scalar(HostIrLine& line);
  // The same, or null for "none".
  const Val* valueOrNone(HostIrLine& line) { return line.accept("none") ? nullptr : value(line); }
  const TensorView* tensorOrNone(HostIrLine& line) { return line.accept("none") ? nullptr : tensor(line); }
  // The same, or null for "_", which stands for a literal.
  const Val* operand(HostIrLine& line) { return line.accept("_") ? nullptr : value(line); }
  // Reads a list "%a, %b" up to the closing text.
  template <class T>
  std::vector<T> list(HostIrLine& line, std::string_view close, T (HostIrNames::*entry)(HostIrLine&)) {
    return line.list(close, [&] { return (this->*entry)(line); });
  }
  // Reads "{axis = 0"; checks that the tensor has the axis.
  size_t axis(HostIrLine& line, const TensorView* tensor, std::string_view key = "axis");

  // Reads a declaration, the rest of a line that starts with "tensor ".
  void declareTensor(const HostIrLine& line);
  // Reads "%s: f32[i1] of".
  struct Seen {
    std::string name, type;
  };
  Seen seenTensor(HostIrLine& line);
  // Returns the tensor of that name; calls `make` to create it if the fusion has none.
  const TensorView* seenAs(const HostIrLine& line, const Seen& seen, const std::function<const TensorView*()>& make);

  // Creates a loop index with that name.
  IntExpr newIndex(const HostIrLine& line, const std::string& name);
  IntExpr index(HostIrLine& line);
  // Reads "saved0" or "by index0"; creates the stream on first use.
  const hir::Stream* stream(HostIrLine& line);
  int kernel(HostIrLine& line);
  size_t output(HostIrLine& line);
  // Reads a symbol, or "stride(%x, 0)", for which it returns null: the kernel determines which stride it is.
  IntExpr extent(HostIrLine& line);
  // Numbers communications 0, 1, 2, … in the order of these calls.
  void addCommunication(const hir::HostExpr* communication) { communications_.push_back(communication); }
  const hir::HostExpr* communication(HostIrLine& line);

 private:
  IntExpr indexCalled(const HostIrLine& line, const std::string& name) const;

  HostIrContainer& program_;
  std::map<std::string, const Val*, std::less<>> values_;
  std::unordered_map<std::string, IntExpr> symbols_;
  std::unordered_map<std::string, IntExpr> indices_;
  std::unordered_map<std::string, const hir::Stream*> streams_;
  std::vector<const hir::HostExpr*> communications_;  // so far
};

}  // namespace fuser
