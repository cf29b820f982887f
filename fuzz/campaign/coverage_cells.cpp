#include "fuzz/campaign/coverage_cells.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string_view>

#include "fuser/ir/fusion.h"
#include "fuser/ops/op_table.h"
#include "fuser/passes/passes.h"
#include "fuser/support/set_up_error.h"
#include "fuser/text/option_table.h"
#include "fuzz/campaign/combinations.h"
#include "fuzz/generate/generate.h"
#include "fuzz/generate/policy.h"

namespace fuser::fuzz {
namespace {

constexpr std::string_view kLayouts[] = {"computed", "row-major", "permuted",        "with gaps",
                                         "expanded", "offset",    "view of an input"};
constexpr std::string_view kAnyData[] = {"integers", "with a peak"};
constexpr std::string_view kNumberData[] = {"special"};
constexpr std::string_view kFloatData[] = {"normal", "uniform"};
constexpr std::string_view kAxisClasses[] = {"first", "middle", "last"};
constexpr std::string_view kAxesClasses[] = {"one", "several", "all"};
constexpr std::string_view kBoundClasses[] = {"negative", "0", "positive", "symbol"};
constexpr std::string_view kExtentClasses[] = {"number", "symbol"};
constexpr std::string_view kNumberClasses[] = {"negative", "0", "positive"};
constexpr std::string_view kOperandClasses[] = {"literal 0", "literal 1", "literal", "scalar"};

// A class of numbers: up to its end, from that of the class before on.
struct NumberClass {
  int64_t end;  // excluded
  std::string_view name;
};
constexpr int64_t kNoEnd = int64_t{1} << 62;
constexpr NumberClass kSizes[] = {{1, "0"},           {2, "1"},         {15, "2 to 14"},    {18, "15 to 17"},
                                  {31, "18 to 30"},   {34, "31 to 33"}, {128, "34 to 127"}, {1024, "128 to 1023"},
                                  {kNoEnd, "1024 on"}};
constexpr NumberClass kTerms[] = {{1, "0"},
                                  {2, "1"},
                                  {33, "2 to 32"},
                                  {1024, "33 to 1023"},
                                  {4096, "1024 to 4095"},
                                  {16385, "4096 to 16384"},
                                  {65536, "16385 to 65535"},
                                  {kNoEnd, "65536 on"}};

std::string_view classOf(std::span<const NumberClass> classes, int64_t number) {
  return std::find_if(classes.begin(), classes.end(), [&](const NumberClass& each) { return number < each.end; })->name;
}

// The numbers of extents in one run.
class SizesOfRun {
 public:
  SizesOfRun(const Fusion& fusion, const Run& run) : fusion_(fusion) {
    for (size_t i = 0; i < run.inputs.size(); ++i) {
      const Val* input = fusion.inputs()[i];
      if (const auto* scalar = std::get_if<ScalarValue>(&run.inputs[i].value)) {
        scalars_.emplace(input, *scalar);
        continue;
      }
      const Dims& sizes = std::get<TensorInput>(run.inputs[i].value).sizes;  // of a file they may fit no rank
      const std::vector<IterDomain*> axes = input->as<TensorView>()->axes();
      for (size_t axis = 0; axis < std::min(axes.size(), sizes.size()); ++axis) {
        if (axes[axis]->size()->isSymbol()) symbols_.emplace(axes[axis]->size(), sizes[axis]);
      }
    }
  }

  std::optional<int64_t> of(IntExpr extent) const {
    bool isKnown = true;
    const auto valueOf = [&](IntExpr symbol) -> int64_t {
      if (const auto found = symbols_.find(symbol); found != symbols_.end()) return found->second;
      const Val* scalar = fusion_.scalarOf(symbol);
      const auto found = scalar ? scalars_.find(scalar) : scalars_.end();
      if (found != scalars_.end()) return found->second.as<int64_t>();
      if (scalar && scalar->as<Scalar>()->isConstant()) return scalar->as<Scalar>()->constant()->as<int64_t>();
      isKnown = false;
      return 1;
    };
    try {
      const int64_t number = evaluate(extent, valueOf);
      return isKnown ? std::optional(number) : std::nullopt;
    } catch (const UserError& error) {  // past i64
      rethrowIfSetUpError(error);
      return std::nullopt;
    }
  }

  // nullopt where a size is unknown.
  std::optional<std::vector<int64_t>> of(const TensorView* tensor) const {
    std::vector<int64_t> sizes;
    for (const IterDomain* axis : tensor->axes()) {
      const std::optional<int64_t> size = of(axis->size());
      if (!size) return std::nullopt;
      sizes.push_back(*size);
    }
    return sizes;
  }

 private:
  const Fusion& fusion_;
  std::map<IntExpr, int64_t> symbols_;  // look-ups only
  std::map<const Val*, ScalarValue> scalars_;
};

// --- layouts ---

std::set<std::string_view> layoutsOf(const Case& testCase, const TensorView* tensor) {
  if (!tensor->isFusionInput()) return {"computed"};
  std::set<std::string_view> layouts;
  const TensorDomain& domain = tensor->domain();
  if (!std::is_sorted(domain.allocationOrder.begin(), domain.allocationOrder.end()))
    layouts.insert(layoutName(OperandLayout::Permuted));
  for (const std::optional<bool>& dense : domain.contiguity) {
    if (dense == false) layouts.insert(layoutName(OperandLayout::WithGaps));
  }
  for (const IterDomain* axis : tensor->axes()) {
    if (axis->isExpanded()) layouts.insert(layoutName(OperandLayout::Expanded));
  }
  const std::vector<Val*>& inputs = testCase.fusion->inputs();
  const auto place = static_cast<size_t>(std::find(inputs.begin(), inputs.end(), tensor) - inputs.begin());
  for (const Run& run : testCase.runs) {
    const auto& input = std::get<TensorInput>(run.inputs[place].value);
    if (input.recipe.kind == RecipeKind::View) layouts.insert(layoutName(OperandLayout::ViewOfAnInput));
    if (input.recipe.kind != RecipeKind::View && input.offset > 0) layouts.insert(layoutName(OperandLayout::Offset));
  }
  if (layouts.empty()) layouts.insert(layoutName(OperandLayout::RowMajor));
  return layouts;
}

// --- data ---

// Of an input of the case: in each run.
std::set<std::string_view> dataOf(const Case& testCase, const TensorView* tensor) {
  std::set<std::string_view> classes;
  if (!tensor->isFusionInput()) return classes;
  const std::vector<Val*>& inputs = testCase.fusion->inputs();
  const auto place = static_cast<size_t>(std::find(inputs.begin(), inputs.end(), tensor) - inputs.begin());
  for (const Run& run : testCase.runs) {
    const Recipe& recipe = std::get<TensorInput>(run.inputs[place].value).recipe;
    if (recipe.peak) classes.insert("with a peak");
    switch (recipe.kind) {
      case RecipeKind::Normal: classes.insert("normal"); break;
      case RecipeKind::Uniform: classes.insert("uniform"); break;
      case RecipeKind::Integers: classes.insert("integers"); break;
      case RecipeKind::Special: classes.insert("special"); break;
      case RecipeKind::Values:
      case RecipeKind::View: break;  // of any class
    }
  }
  return classes;
}

// --- attributes ---

std::string_view classOfBound(IntExpr bound) {
  if (!bound->isConstant()) return "symbol";
  return bound->value < 0 ? "negative" : bound->value == 0 ? "0" : "positive";
}

std::string_view classOfAxis(int64_t axis, size_t rank) {
  return axis == 0 ? "first" : axis + 1 == static_cast<int64_t>(rank) ? "last" : "middle";
}

std::string_view classOfOperand(const Val* operand) {
  const std::optional<ScalarValue>& literal = operand->as<Scalar>()->constant();
  if (!literal) return "scalar";
  if (literal->as<double>() == 0) return "literal 0";
  return literal->as<double>() == 1 ? "literal 1" : "literal";
}

using Add = std::function<void(std::string_view name, std::string_view value)>;

void addAttribute(const FamilyAttribute& attribute, const Expr* expr, const Add& add) {
  const Attributes& attributes = expr->attributes();
  const bool ofResult = attribute.ofResult || expr->inputs().empty() || expr->input(0)->isScalar();
  const size_t rank = (ofResult ? expr->output() : expr->input(0))->as<TensorView>()->rank();
  const std::string_view name = attribute.text();
  switch (attribute.kind) {
    case AttributeKind::Axis: return add(name, classOfAxis(attributes.axis(attribute.name), rank));
    case AttributeKind::Axes: {
      const size_t axes = attributes.axes(attribute.name).size();
      if (axes > 0) add(name, axes == rank ? "all" : axes == 1 ? "one" : "several");
      return;
    }
    case AttributeKind::Extents:
    case AttributeKind::Counts:
      for (IntExpr size : attributes.integers(attribute.name)) add(name, size->isConstant() ? "number" : "symbol");
      return;
    case AttributeKind::Extent: return add(name, attributes.bound(attribute.name)->isConstant() ? "number" : "symbol");
    case AttributeKind::Bounds:
      for (IntExpr bound : attributes.integers(attribute.name)) add(name, classOfBound(bound));
      return;
    case AttributeKind::Bound: return add(name, classOfBound(attributes.bound(attribute.name)));
    case AttributeKind::Number: {
      const int64_t number = attributes.number(attribute.name);
      return add(name, number < 0 ? "negative" : number == 0 ? "0" : "positive");
    }
    case AttributeKind::Dtype:
    case AttributeKind::Mark:
    case AttributeKind::Word:
    case AttributeKind::Flag:
    case AttributeKind::Operand: return;
  }
}

std::span<const std::string_view> classesOf(AttributeKind kind) {
  switch (kind) {
    case AttributeKind::Axis: return kAxisClasses;
    case AttributeKind::Axes: return kAxesClasses;
    case AttributeKind::Extents:
    case AttributeKind::Counts:
    case AttributeKind::Extent: return kExtentClasses;
    case AttributeKind::Bounds:
    case AttributeKind::Bound: return kBoundClasses;
    case AttributeKind::Number: return kNumberClasses;
    case AttributeKind::Dtype:
    case AttributeKind::Mark:
    case AttributeKind::Word:
    case AttributeKind::Flag:
    case AttributeKind::Operand: return {};
  }
  FUSER_CHECK(false, "bad AttributeKind");
}

// A step or a spacing is at least 1, the step of arange a number, and perhaps a negative one; no window is negative; a
// permutation names all axes; argmax takes one axis or all.
bool isPossible(Family family, std::string_view attribute, std::string_view value) {
  const bool isRange = family == Family::Range;
  if (attribute == "step") return value == "positive" || value == (isRange ? "negative" : "symbol");
  if (attribute == "spacing") return value == "positive" || value == "symbol";
  if (attribute == "window") return value != "negative";
  if (family == Family::Permute) return value == "all";
  if (family == Family::ExtremeIndex) return value != "several";
  return true;
}

// Whether some operand may be a scalar: those of pointwise ops but conditions.
bool takesScalarOperand(OpKind op, size_t operand) {
  return isPointwise(op) && operandCount(op) > 1 && !(takesCondition(op, operand));
}

// Of a name that the generator lists (kNamesKey): made of ops, or of ops on the parts of complex numbers.
Cell cellOfName(std::string_view name) {
  constexpr std::string_view kComplex = "complex ";
  const bool isComplex = name.starts_with(kComplex);
  if (isComplex) name.remove_prefix(kComplex.size());
  return {"name", std::string(name), isComplex ? "of complex numbers" : "made of ops"};
}

constexpr std::string_view kAliases = "aliases";

Cell cellOfView(std::string_view op, const View& view) { return {"view", std::string(op), std::string(view.name)}; }

Cell cellOfOption(std::string_view name, std::string_view value) {
  return {"option", std::string(name), std::string(value)};
}

// The value's name, of the states that OptionInfo::get tells.
std::string_view valueOf(const OptionInfo& option, size_t state) {
  if (option.number) return "a number";
  if (option.isSwitch()) return state != 0 ? "enabled" : "disabled";
  return option.values.at(state);
}

// Engines run batches; limits find a guilty rewrite; a seed of the text is in its ops once it is read; and some numbers
// are the only ones.
bool isOfCases(const OptionInfo& option) {
  constexpr std::string_view kOthers[] = {"engine", "ptx_architecture", "pass_limit", "rng_seed"};
  const bool isFixed = option.number && option.least == option.most;
  return !isFixed && std::find(std::begin(kOthers), std::end(kOthers), option.name) == std::end(kOthers);
}

void addPossible(const OptionInfo& option, std::vector<Cell>& cells) {
  const size_t usual = option.get(CompileOptions{});
  if (option.number) return cells.push_back(cellOfOption(option.name, valueOf(option, 1)));
  const size_t states = option.isSwitch() ? 2 : option.values.size();
  for (size_t state = 0; state < states; ++state) {
    if (state != usual) cells.push_back(cellOfOption(option.name, valueOf(option, state)));
  }
}

void addNames(std::string_view list, std::set<Cell>& cells) {
  constexpr std::string_view kComma = ", ";
  while (true) {
    const size_t end = list.find(kComma);
    cells.insert(cellOfName(list.substr(0, end)));
    if (end == std::string_view::npos) return;
    list.remove_prefix(end + kComma.size());
  }
}

void addExpr(const Case& testCase, const std::vector<SizesOfRun>& runs, const Expr* expr, std::set<Cell>& cells) {
  const std::string op(opName(expr->op()));
  const auto add = [&](std::string_view table, std::string_view value) {
    cells.insert({std::string(table), op, std::string(value)});
  };
  const Add addNamed = [&](std::string_view name, std::string_view value) {
    add("attribute", concat(name, " ", value));
  };
  const TensorView* typed = nullptr;
  for (size_t i = 0; i < expr->inputs().size(); ++i) {
    const Val* operand = expr->input(i);
    if (operand->isScalar()) {
      if (takesScalarOperand(expr->op(), i)) addNamed("operand", classOfOperand(operand));
      continue;
    }
    const auto* tensor = operand->as<TensorView>();
    if (!typed) typed = tensor;
    for (std::string_view layout : layoutsOf(testCase, tensor)) add("layout", layout);
    for (std::string_view data : dataOf(testCase, tensor)) add("data", data);
  }
  for (const FamilyAttribute& attribute : familyAttributes(expr->family())) {
    if (!attribute.textOnly) addAttribute(attribute, expr, addNamed);
  }
  if (!typed) typed = expr->output()->as<TensorView>();
  for (const SizesOfRun& run : runs) {
    const std::optional<std::vector<int64_t>> sizes = run.of(typed);
    if (!sizes || sizes->empty()) continue;
    const bool isEmpty = std::find(sizes->begin(), sizes->end(), 0) != sizes->end();
    add("size", classOf(kSizes, isEmpty ? 0 : sizes->back()));
    if (!isReduction(expr->op())) continue;
    int64_t terms = 1;
    for (int64_t dim : expr->attributes().dims()) terms *= (*sizes)[static_cast<size_t>(dim)];
    add("terms", classOf(kTerms, terms));
  }
}

// --- what there is ---

void addPossible(OpKind op, const std::set<Category>& operands, std::vector<Cell>& cells) {
  const OpInfo& info = opInfo(op);
  const FamilyInfo& family = familyInfo(info.family);
  if (family.coordinates == Coordinates::HostScalar) return;
  const std::string name(opName(op));
  const auto add = [&](std::string_view table, std::string_view value) {
    cells.push_back({std::string(table), name, std::string(value)});
  };
  if (family.operands != FamilyOperands::None) {
    for (std::string_view layout : kLayouts) {
      // No other input lies in memory that is written to.
      if (info.family != Family::Update || layout != "view of an input") add("layout", layout);
    }
    const bool hasFloats = operands.contains(Category::Float),
               hasNumbers = hasFloats || operands.contains(Category::Int);
    for (std::string_view data : kAnyData) add("data", data);
    for (std::string_view data : kNumberData) {
      if (hasNumbers) add("data", data);
    }
    for (std::string_view data : kFloatData) {
      if (hasFloats) add("data", data);
    }
  }
  for (const NumberClass& size : kSizes) add("size", size.name);
  if (isReduction(op)) {
    const bool hasIdentity = info.family != Family::ExtremeIndex && op != OpKind::Amax && op != OpKind::Amin;
    for (const NumberClass& terms : kTerms) {
      if (terms.end > 1 || hasIdentity) add("terms", terms.name);
    }
  }
  for (const FamilyAttribute& attribute : familyAttributes(info.family)) {
    if (attribute.textOnly) continue;
    for (std::string_view value : classesOf(attribute.kind)) {
      if (isPossible(info.family, attribute.text(), value)) add("attribute", concat(attribute.text(), " ", value));
    }
  }
  if (isPointwise(op) && operandCount(op) > 1) {
    for (std::string_view value : kOperandClasses) add("attribute", concat("operand ", value));
  }
}

}  // namespace

std::set<Cell> cellsOf(const Case& testCase) {
  std::vector<SizesOfRun> runs;
  for (const Run& run : testCase.runs) runs.emplace_back(*testCase.fusion, run);
  std::set<Cell> cells;
  for (const Expr* expr : testCase.fusion->exprs()) {
    if (expr->output()->isTensor()) addExpr(testCase, runs, expr, cells);
  }
  for (const auto& [op, dtype, rank] : combinationsOf(*testCase.fusion)) {
    cells.insert({"dtype", op, dtype});
    cells.insert({"rank", op, rank});
  }
  for (const auto& [key, value] : testCase.metadata) {
    if (key == kNamesKey) addNames(value, cells);
  }
  cells.merge(cellsOf(testCase.options));
  return cells;
}

std::set<Cell> cellsOf(const Case& testCase, const View& view) {
  std::set<Cell> cells;
  if (!testCase.aliases.empty()) cells.insert(cellOfView(kAliases, view));
  for (const auto& [op, dtype, rank] : combinationsOf(*testCase.fusion)) cells.insert(cellOfView(op, view));
  return cells;
}

std::set<Cell> cellsOf(const CompileOptions& options) {
  std::set<Cell> cells;
  for (const OptionInfo& option : optionTable()) {
    const size_t state = option.get(options);
    if (state != option.get(CompileOptions{})) cells.insert(cellOfOption(option.name, valueOf(option, state)));
  }
  for (const std::string& pass : options.disabledPasses) cells.insert(cellOfOption(concat("pass ", pass), "disabled"));
  return cells;
}

bool isOfViews(const Cell& cell) { return cell[0] == "view" || cell[0] == "option"; }

const std::vector<Cell>& possibleCells() {
  static const std::vector<Cell> possible = [] {
    std::vector<Cell> all;
    std::set<std::string, std::less<>> drawn;
    std::map<std::string, std::set<Category>, std::less<>> operands;  // by op
    for (const auto& [op, dtype, rank] : possibleCombinations()) operands[op].insert(category(*dtypeFromName(dtype)));
    for (OpKind op : kAllOps) {
      if (!isDrawnUnasked(op)) continue;
      addPossible(op, operands[std::string(opName(op))], all);
      drawn.emplace(opName(op));
    }
    std::set<Cell> taken;
    std::set<std::string> onTensors;
    for (const auto& [op, dtype, rank] : possibleCombinations()) {
      if (!drawn.count(op)) continue;
      taken.insert({"dtype", op, dtype});
      taken.insert({"rank", op, rank});
      onTensors.insert(op);
    }
    all.insert(all.end(), taken.begin(), taken.end());
    for (const std::string& name : drawableNames()) all.push_back(cellOfName(name));
    for (const View& view : allViews()) {
      if (view.takes != Takes::AnyOp) continue;
      all.push_back(cellOfView(kAliases, view));
      for (const std::string& op : onTensors) all.push_back(cellOfView(op, view));
    }
    for (const OptionInfo& option : optionTable()) {
      if (isOfCases(option)) addPossible(option, all);
    }
    for (const PassInfo& pass : allPasses()) all.push_back(cellOfOption(concat("pass ", pass.name), "disabled"));
    std::stable_sort(all.begin(), all.end(), [](const Cell& a, const Cell& b) { return a[0] < b[0]; });
    return all;
  }();
  return possible;
}

std::string cellText(const Cell& cell) { return concat(cell[1], ": ", cell[0], " ", cell[2]); }

}  // namespace fuser::fuzz
