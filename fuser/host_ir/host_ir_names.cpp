#include "fuser/host_ir/host_ir_names.h"

#include <algorithm>

#include "fuser/host_ir/declarations.h"

namespace fuser {

HostIrNames::HostIrNames(HostIrContainer& program) : program_(program), values_(valuesByName(program.fusion())) {
  for (const IntSymbol& symbol : fusion().ints().symbols()) {
    const Val* scalar = fusion().scalarOf(symbol.expr);
    symbols_.emplace(scalar ? "%" + scalar->name() : symbol.name, symbol.expr);
  }
}

const Val* HostIrNames::value(HostIrLine& line) {
  line.expect("%");
  const std::string name = line.word();
  const auto found = values_.find(name);
  if (found == values_.end()) line.fail(concat("the fusion has no %", name));
  return found->second;
}

const TensorView* HostIrNames::tensor(HostIrLine& line) {
  const Val* val = value(line);
  if (!val->isTensor()) line.fail(concat("%", val->name(), " is not a tensor"));
  return val->as<TensorView>();
}

const Val* HostIrNames::scalar(HostIrLine& line) {
  const Val* val = value(line);
  if (!val->isScalar()) line.fail(concat("%", val->name(), " is not a scalar"));
  return val;
}

size_t HostIrNames::axis(HostIrLine& line, const TensorView* tensor, std::string_view key) {
  line.expect("{");
  line.expect(concat(key, " = "));
  const int axis = line.integer();
  if (axis < 0 || static_cast<size_t>(axis) >= tensor->rank()) {
    line.fail(concat("%", tensor->name(), " has no axis ", axis));
  }
  return static_cast<size_t>(axis);
}

void HostIrNames::declareTensor(const HostIrLine& line) {
  declare(fusion(), line.rest(), values_, [&](const std::string& message) { line.fail(message); });
}

HostIrNames::Seen HostIrNames::seenTensor(HostIrLine& line) {
  line.expect("%");
  const std::string name = line.word();
  line.expect(":");
  return {name, line.until(" of ")};
}

const TensorView* HostIrNames::seenAs(const HostIrLine& line, const Seen& seen,
                                      const std::function<const TensorView*()>& make) {
  const Val*& known = values_[seen.name];
  if (known && !known->isTensor()) line.fail(concat("%", seen.name, " is not a tensor"));
  if (!known) known = make();
  if (declaredType(known) != seen.type) line.fail(concat("'", declaredType(known), "' expected"));
  return known->as<TensorView>();
}

IntExpr HostIrNames::newIndex(const HostIrLine& line, const std::string& name) {
  if (indices_.count(name) != 0) line.fail(concat("another loop's index is called ", name));
  return indices_[name] = fusion().ints().symbol("StreamIdx");
}

IntExpr HostIrNames::indexCalled(const HostIrLine& line, const std::string& name) const {
  const auto found = indices_.find(name);
  if (found == indices_.end()) line.fail(concat("no loop's index is called ", name));
  return found->second;
}

IntExpr HostIrNames::index(HostIrLine& line) { return indexCalled(line, line.word()); }

const hir::Stream* HostIrNames::stream(HostIrLine& line) {
  const bool byIndex = line.accept("by ");
  const std::string word = line.word();
  const hir::Stream*& known = streams_[byIndex ? "by " + word : word];
  if (!known) known = program_.newStream(byIndex ? indexCalled(line, word) : nullptr);
  return known;
}

int HostIrNames::kernel(HostIrLine& line) {
  const std::string name = line.word();
  const auto kernel = std::find_if(program_.kernels.begin(), program_.kernels.end(),
                                   [&](const Kernel* candidate) { return candidate->name == name; });
  if (kernel == program_.kernels.end()) line.fail(concat("no kernel is called ", name));
  return static_cast<int>(kernel - program_.kernels.begin());
}

size_t HostIrNames::output(HostIrLine& line) {
  const int number = line.integer();
  if (number < 0 || static_cast<size_t>(number) >= fusion().outputs().size()) {
    line.fail(concat("there is no output ", number));
  }
  return static_cast<size_t>(number);
}

IntExpr HostIrNames::extent(HostIrLine& line) {
  if (line.accept("stride(")) {
    tensor(line);
    line.expect(",");
    line.integer();
    line.expect(")");
    return nullptr;
  }
  const bool scalar = line.accept("%");
  const std::string name = scalar ? "%" + line.word() : line.word();
  const auto val = scalar ? values_.find(name.substr(1)) : values_.end();
  const bool integer = val != values_.end() && val->second->isScalar() && val->second->dtype() == DataType::Int64;
  if (integer && symbols_.count(name) == 0) {
    return fusion().scalarSymbol(fusion().allVals().at(val->second->id()).get());
  }
  const auto found = symbols_.find(name);
  if (found == symbols_.end()) line.fail(concat("no extent is called ", name));
  return found->second;
}

const hir::HostExpr* HostIrNames::communication(HostIrLine& line) {
  const int number = line.integer();
  if (number < 0 || static_cast<size_t>(number) >= communications_.size()) {
    line.fail(concat("no communication ", number, " stands before this"));
  }
  return communications_[static_cast<size_t>(number)];
}

}  // namespace fuser
