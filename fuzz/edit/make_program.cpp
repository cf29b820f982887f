// An edit's lines through the builders, as the parser takes a text's: what PyTorch does implicitly becomes explicit,
// names of the edit stay, and what the builders insert gets out of their way.

#include "fuzz/edit/make_program.h"

#include <set>

#include "fuser/ir/builder.h"
#include "fuser/ir/verify.h"
#include "fuser/text/give_names.h"
#include "fuser/text/limits.h"
#include "fuser/text/token_rules.h"

namespace fuser::fuzz {
namespace {

class ProgramMaker {
 public:
  explicit ProgramMaker(const CaseEdit& edit) : edit_(edit), fusion_(std::make_unique<Fusion>(edit.name)) {}

  std::unique_ptr<Fusion> make() {
    FUSER_USER_CHECK(edit_.lines.size() <= text::kMaxOps, "more than ", text::kMaxOps, " ops");
    FUSER_USER_CHECK(edit_.inputs.size() <= text::kMaxParameters, "more than ", text::kMaxParameters, " inputs");
    fusion_->setConcrete(edit_.equalSizes);
    makeInputs();
    for (const EditLine& line : edit_.lines) makeLine(line);
    for (const EditOperand& output : edit_.outputs) fusion_->addOutput(valueOf(output));
    giveNames(*fusion_, values_);
    fusion_->setConcrete(false);
    verify(*fusion_);
    return std::move(fusion_);
  }

 private:
  // Scalars first: the size of a tensor may name one that stands behind it.
  void makeInputs() {
    for (const EditInput& input : edit_.inputs) {
      if (!input.tensor) define(input.name, fusion_->newScalar(input.dtype, input.name));
      if (input.tensor) noteBound(input);
    }
    for (const EditInput& input : edit_.inputs) {
      if (input.tensor) define(input.name, makeTensor(input));
      fusion_->addInput(values_.at(input.name));
    }
  }

  // Only a size that is the symbol alone binds it.
  void noteBound(const EditInput& input) {
    for (const AxisType& axis : input.axes) {
      const IntExpr size = axis.expandedExtent ? axis.expandedExtent : axis.extent;
      if (size->isSymbol()) bound_.insert(edit_.extents.nameOf(size));
    }
  }

  TensorView* makeTensor(const EditInput& input) {
    TensorDomain domain;
    for (const AxisType& axis : input.axes) {
      domain.logical.push_back(fusion_->newIterDomain(axis.type, sizeOf(axis.extent), sizeOf(axis.expandedExtent)));
    }
    domain.allocationOrder = input.allocationOrder;
    domain.contiguity = input.contiguity;
    TensorView* tensor = fusion_->newTensor(input.dtype, std::move(domain), input.name);
    tensor->setCpuScalar(input.onHost);
    return tensor;
  }

  void define(const std::string& name, Val* val) {
    FUSER_USER_CHECK(text::isName(name), "'", name, "' is not a name");
    FUSER_USER_CHECK(values_.emplace(name, val).second, "%", name, " is defined already");
  }

  Val* valueOf(const EditOperand& operand) {
    if (!operand.name()) return fusion_->newConstant(operand.literal());
    const auto found = values_.find(*operand.name());
    FUSER_USER_CHECK(found != values_.end(), "unknown value %", *operand.name());
    return found->second;
  }

  // --- sizes ---

  IntExpr sizeOf(IntExpr size) {
    return size ? fusion_->ints().import(size, [&](IntExpr symbol) { return symbolOf(symbol); }) : nullptr;
  }

  IntExpr symbolOf(IntExpr symbol) {
    const std::string& name = edit_.extents.nameOf(symbol);
    if (!name.starts_with('%')) {
      FUSER_USER_CHECK(bound_.count(name), "no input binds '", name, "'");
      return fusion_->extentSymbol(name);
    }
    Val* scalar = valueOf(name.substr(1));
    FUSER_USER_CHECK(scalar->isScalar() && scalar->dtype() == DataType::Int64, "a size is an i64 scalar; ", name,
                     " is ", typeText(scalar));
    return fusion_->scalarSymbol(scalar);
  }

  // --- lines ---

  void makeLine(const EditLine& line) {
    const OpInfo& info = opInfo(line.op);
    FUSER_USER_CHECK(line.results.size() == info.results, info.mnemonic, " has ", info.results, " results, not ",
                     line.results.size());
    std::vector<Val*> operands;
    for (const EditOperand& operand : line.operands) operands.push_back(valueOf(operand));
    checkOperands(info, operands);
    addBraced(line, operands);
    checkAttributes(line);
    std::vector<Val*> results;
    if (isPointwise(line.op)) {
      results = {build::pointwise(*fusion_, line.op, operands, line.results[0])};
    } else {
      Attributes attributes = withExtents(line.attributes, [&](IntExpr size) { return sizeOf(size); });
      results = build::structural(*fusion_, line.op, std::move(operands), std::move(attributes),
                                  info.family == Family::Update ? std::vector<std::string>() : line.results);
    }
    if (info.family == Family::Update) return;  // nobody reads its result
    for (size_t i = 0; i < results.size(); ++i) define(line.results[i], results[i]);
  }

  // Of those in the parentheses: how many there are, and that they are tensors where none may be a scalar.
  static void checkOperands(const OpInfo& info, const std::vector<Val*>& operands) {
    const auto [least, most] = operandsInParentheses(info.family);
    const size_t named = namedOperands(info.kind).size();
    FUSER_USER_CHECK(operands.size() + named >= least && operands.size() <= most - named, info.mnemonic,
                     " does not take ", operands.size(), " operands");
    for (const Val* operand : operands) {
      FUSER_USER_CHECK(operand->isTensor() || takesScalars(info.family), info.mnemonic, " takes a tensor, not ",
                       typeText(operand));
    }
  }

  // Those in the braces, behind the others.
  void addBraced(const EditLine& line, std::vector<Val*>& operands) {
    std::vector<std::optional<ScalarValue>> defaults;
    for (const NamedOperand& named : namedOperands(line.op)) defaults.push_back(named.ifAbsent);
    for (const FamilyAttribute& attribute : familyAttributes(opInfo(line.op).family)) {
      if (attribute.kind != AttributeKind::Operand) continue;
      defaults.push_back(attribute.ifAbsent ? std::optional(attribute.defaultLiteral()) : std::nullopt);
    }
    FUSER_USER_CHECK(line.braced.empty() || line.braced.size() == defaults.size(), opInfo(line.op).mnemonic,
                     " does not take ", line.braced.size(), " operands in braces");
    for (size_t i = 0; i < defaults.size(); ++i) {
      FUSER_USER_CHECK(!line.braced.empty() || defaults[i], opInfo(line.op).mnemonic, " needs all its operands");
      operands.push_back(line.braced.empty() ? fusion_->newConstant(*defaults[i]) : valueOf(line.braced[i]));
      FUSER_USER_CHECK(operands.back()->isScalar(), "an operand in braces is a scalar");
    }
  }

  // What inference does not look at: a row's attributes are there, and their entries are numbers that the text has.
  static void checkAttributes(const EditLine& line) {
    for (const FamilyAttribute& attribute : familyAttributes(opInfo(line.op).family)) {
      if (attribute.textOnly || attribute.kind == AttributeKind::Operand) continue;
      const bool isWritten = line.attributes.has(attribute.name);
      FUSER_USER_CHECK(isWritten || attribute.ifAbsent, opInfo(line.op).mnemonic, " needs '", attribute.text(), "'");
      if (isWritten) checkEntries(attribute, line.attributes);
    }
  }

  static void checkEntries(const FamilyAttribute& attribute, const Attributes& attributes) {
    const auto checkCount = [&](size_t entries, size_t most) {
      FUSER_USER_CHECK(entries <= most, attribute.text(), " has more than ", most, " entries");
    };
    const auto checkSize = [&](IntExpr size, int64_t least) {
      const bool fits = !size || !size->isConstant() || size->value >= least;
      FUSER_USER_CHECK(fits, "a size among ", attribute.text(), " is negative");
    };
    switch (attribute.kind) {
      case AttributeKind::Axes: return checkCount(attributes.axes(attribute.name).size(), kMaxRank);
      case AttributeKind::Extents:
      case AttributeKind::Counts:
        checkCount(attributes.integers(attribute.name).size(), kMaxRank);
        for (IntExpr size : attributes.integers(attribute.name)) checkSize(size, attribute.open ? -1 : 0);
        return;
      case AttributeKind::Extent: return checkSize(attributes.bound(attribute.name), 0);
      case AttributeKind::Bounds: return checkCount(attributes.integers(attribute.name).size(), 2 * kMaxRank);
      case AttributeKind::Axis:
      case AttributeKind::Bound:
      case AttributeKind::Dtype:
      case AttributeKind::Number:
      case AttributeKind::Mark:
      case AttributeKind::Word:
      case AttributeKind::Flag:
      case AttributeKind::Operand: return;
    }
  }

  const CaseEdit& edit_;
  std::unique_ptr<Fusion> fusion_;
  NamedVals values_;             // of the edit's names
  std::set<std::string> bound_;  // extent symbols that a run gives a size
};

}  // namespace

std::unique_ptr<Fusion> makeProgram(const CaseEdit& edit) { return ProgramMaker(edit).make(); }

}  // namespace fuser::fuzz
