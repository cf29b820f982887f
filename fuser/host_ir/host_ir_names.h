#pragma once
// What the names in a host program's full text stand for: values of the fusion and tensors that the text makes, loops'
// indices, streams, kernels, extents; communications and outputs by their number. Not for use outside of this folder.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fuser/host_ir/host_ir_container.h"
#include "fuser/host_ir/host_ir_line.h"

namespace fuser {

// Each function reads one name from the line; the UserError of the line where nothing is called so.
class HostIrNames {
 public:
  // The program, which must outlive this, gains the streams that are named.
  explicit HostIrNames(HostIrContainer& program);

  const HostIrContainer& program() const { return program_; }
  Fusion& fusion() const { return program_.fusion(); }

  const Val* value(HostIrLine& line);
  const TensorView* tensor(HostIrLine& line);
  const Val* scalar(HostIrLine& line);
  // Null for "none".
  const Val* valueOrNone(HostIrLine& line) { return line.accept("none") ? nullptr : value(line); }
  const TensorView* tensorOrNone(HostIrLine& line) { return line.accept("none") ? nullptr : tensor(line); }
  // Null for "_", a literal.
  const Val* operand(HostIrLine& line) { return line.accept("_") ? nullptr : value(line); }
  // "%a, %b" up to the closing text.
  template <class T>
  std::vector<T> list(HostIrLine& line, std::string_view close, T (HostIrNames::*entry)(HostIrLine&)) {
    return line.list(close, [&] { return (this->*entry)(line); });
  }
  // "{axis = 0"
  size_t axis(HostIrLine& line, const TensorView* tensor, std::string_view key = "axis");

  // The rest of a line that starts with "tensor ".
  void declareTensor(const HostIrLine& line);
  // "%s: f32[i1] of"
  struct Seen {
    std::string name, type;
  };
  Seen seenTensor(HostIrLine& line);
  // The tensor of that name, made where the fusion has none.
  const TensorView* seenAs(const HostIrLine& line, const Seen& seen, const std::function<const TensorView*()>& make);

  // A loop's, which gets the name.
  IntExpr newIndex(const HostIrLine& line, const std::string& name);
  IntExpr index(HostIrLine& line);
  // "saved0", or "by index0"; one that was not named before is new.
  const hir::Stream* stream(HostIrLine& line);
  int kernel(HostIrLine& line);
  size_t output(HostIrLine& line);
  // A symbol, or null for "stride(%x, 0)": which one follows from the kernel.
  IntExpr extent(HostIrLine& line);
  // Communications have the numbers 0, 1, 2, … in the order of these calls.
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
