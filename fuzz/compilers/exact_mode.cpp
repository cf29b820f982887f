#include "fuzz/compilers/exact_mode.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "fuser/ir/infer.h"
#include "fuser/ops/op_table.h"
#include "fuser/types/scalar_value.h"
#include "fuzz/compilers/exact_numbers.h"
#include "fuzz/compilers/exact_rules.h"
#include "fuzz/compilers/liberties.h"
#include "fuzz/compilers/regroup.h"

namespace fuser::fuzz {
namespace {

enum class Sentence : uint8_t {
#define SENTENCE(name, silent, text) name,
#define EXACT(...)
#include "fuzz/compilers/exact_mode.def"
#undef EXACT
#undef SENTENCE
};
struct SentenceRow {
  std::string_view silent, text;
};
constexpr SentenceRow kSentences[] = {
#define SENTENCE(name, silent, text) {silent, text},
#define EXACT(...)
#include "fuzz/compilers/exact_mode.def"
#undef EXACT
#undef SENTENCE
};

struct ExactRow {
  OpKind op;
  ExactRule rule;
  Sentence nan, infinity;
};
constexpr ExactRow kRows[] = {
#define SENTENCE(...)
#define EXACT(op, rule, nan, infinity) {OpKind::op, ExactRule::rule, Sentence::nan, Sentence::infinity},
#include "fuzz/compilers/exact_mode.def"
#undef EXACT
#undef SENTENCE
};

constexpr std::string_view kNan = "it meets a NaN, and no sentence says what it gives";
constexpr std::string_view kInfinity = "it meets an infinity, and no sentence says what it gives";
constexpr std::string_view kUnknown = "an operand is not known";
constexpr std::string_view kResult = "the dtype has no such number";
constexpr std::string_view kLiberty = "the target may hold it in fewer bits";
constexpr std::string_view kTwice = "two elements that differ are put at one place";
constexpr std::string_view kRegrouped = "the target may compute it in another order";

const ExactRow* rowOf(OpKind op) {
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows), [&](const ExactRow& one) { return one.op == op; });
  return row == std::end(kRows) ? nullptr : row;
}

std::string_view sentenceOf(OpKind op, Sentence ExactRow::*column) {
  const ExactRow* row = rowOf(op);
  return row ? kSentences[static_cast<size_t>(row->*column)].text : "";
}

bool isFixed(Sentence sentence, std::string_view format) {
  return sentence != Sentence::No && kSentences[static_cast<size_t>(sentence)].silent != format;
}

// What a row says of a NaN or an infinity; "" of any other number.
std::string_view whyNotSpecial(const ExactRow& row, double number, std::string_view format) {
  if (std::isnan(number)) return isFixed(row.nan, format) ? "" : kNan;
  return std::isinf(number) && !isFixed(row.infinity, format) ? kInfinity : "";
}

// Of a number that is not finite: whether it stays what it is, however the target holds it.
bool keeps(double number, const HeldType& type) { return std::isnan(number) || type.also.empty(); }

// The dtype in which an op computes.
DataType computed(const Expr& expr) {
  if (isPointwise(expr.op())) return commonType(expr.op(), expr.inputs());
  // Whether something is true, or where it is greatest, is a matter of the operand.
  const bool isTruth = expr.info().promotion == Promotion::Truth && !expr.inputs().empty();
  return isTruth || expr.family() == Family::ExtremeIndex ? expr.input(0)->dtype() : expr.output()->dtype();
}

// One expression over its operands' numbers.
class ExactExpr {
 public:
  ExactExpr(const Expr& expr, const ExactRow& row, std::vector<const Numbers*> operands, const Numbers& result,
            const ExactFor& whom)
      : expr_(expr),
        row_(row),
        operands_(std::move(operands)),
        result_(result),
        type_(heldBy(whom.target, computed(expr))),
        resultType_(heldBy(whom.target, result.dtype)),
        format_(whom.format) {}

  std::string_view why() const {
    if (expr_.family() == Family::Scatter) return ofScatter();
    if (isExactByBounds()) return "";
    if (isOfTerms(row_.rule)) return ofTerms();
    if (isElementwise()) return ofElements();
    for (const Numbers* operand : operands_) {
      for (const double number : operand->elements) {
        if (const std::string_view why = ofOperands({&number, 1}, false); !why.empty()) return why;
      }
    }
    if (row_.rule == ExactRule::Range) {
      for (const double number : result_.elements) {
        if (const std::string_view why = whyNotExact(row_.rule, {&number, 1}, type_); !why.empty()) return why;
      }
    }
    return ofResults();
  }

 private:
  bool isScan() const { return expr_.family() == Family::Scan; }
  bool isElementwise() const { return isPointwise(expr_.op()) || row_.rule == ExactRule::Convert; }

  // Most are far from every limit.
  bool isExactByBounds() const {
    if (!fits(result_.bounds, resultType_) || result_.elements.empty()) return false;
    std::vector<NumberBounds> bounds;
    for (const Numbers* operand : operands_) bounds.push_back(operand->bounds);
    if (isOfTerms(row_.rule)) {
      const Dims& sizes = operands_[0]->sizes;
      const int64_t terms = isScan() ? sizes[static_cast<size_t>(expr_.attributes().dim())]
                                     : numel(sizes) / static_cast<int64_t>(result_.elements.size());
      return isExactWithin(row_.rule, {bounds.data(), 1}, type_, terms);
    }
    if (isElementwise()) return isExactWithin(row_.rule, bounds, type_);
    return row_.rule != ExactRule::Range && isExactWithin(ExactRule::Keep, bounds, type_);
  }

  // byRule: as the row says; else only that each fits.
  std::string_view ofOperands(std::span<const double> operands, bool byRule) const {
    bool isFinite = true;
    for (const double operand : operands) {
      isFinite = isFinite && std::isfinite(operand);
      if (const std::string_view why = whyNotSpecial(row_, operand, format_); !why.empty()) return why;
    }
    if (isFinite) return whyNotExact(byRule ? row_.rule : ExactRule::Keep, operands, type_);
    return ofSpecial(operands);
  }

  // Some are NaN or infinite, and a sentence fixes what they give. It does not fix signs of zeros.
  std::string_view ofSpecial(std::span<const double> operands) const {
    if (row_.rule == ExactRule::Convert) return isFloating(type_.dtype) || type_.dtype == DataType::Bool ? "" : kResult;
    const bool divides = row_.rule == ExactRule::Divide || row_.rule == ExactRule::Quotient;
    if ((divides || row_.rule == ExactRule::Sign) && operands.back() == 0)
      return whyNotExact(row_.rule, {&operands.back(), 1}, type_);
    for (const double operand : operands) {
      if (std::isfinite(operand) && !fits(operand, type_)) return whyNotExact(ExactRule::Keep, {&operand, 1}, type_);
    }
    return "";
  }

  std::string_view ofElements() const {
    std::vector<double> numbers(operands_.size());
    Aligned at(result_.sizes, operands_);
    for (const double result : result_.elements) {
      for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = operands_[i]->elements[at.places()[i]];
      if (const std::string_view why = ofOperands(numbers, true); !why.empty()) return why;
      const bool fromFinite = std::all_of(numbers.begin(), numbers.end(), [](double n) { return std::isfinite(n); });
      if (const std::string_view why = ofResult(result, fromFinite); !why.empty()) return why;
      at.next();
    }
    return "";
  }

  // Where all terms of a line are exact together, so are the first ones of them: of a scan a row is a whole line.
  std::string_view ofTerms() const {
    const Numbers& operand = *operands_[0];
    std::vector<ExactTerms> rows(result_.elements.size());
    const std::vector<int64_t> scanned = isScan() ? std::vector{expr_.attributes().dim()} : std::vector<int64_t>{};
    const std::vector<int64_t>& dims = isScan() ? scanned : expr_.attributes().dims();
    const std::vector<size_t> places = rowsOf(operand.sizes, dims);
    for (size_t i = 0; i < operand.elements.size(); ++i) {
      const double term = operand.elements[i];
      if (const std::string_view why = ofOperands({&term, 1}, false); !why.empty()) return why;
      ++rows.at(places[i]).count;
      if (std::isfinite(term)) rows[places[i]].add(term);
    }
    for (const ExactTerms& row : rows) {
      if (const std::string_view why = whyNotExact(row_.rule, row, type_); !why.empty()) return why;
    }
    return ofResults();
  }

  // Operands: the tensor, the indices, the elements.
  std::string_view ofScatter() const {
    const Numbers &tensor = *operands_[0], &indices = *operands_[1], &source = *operands_[2];
    for (const Numbers* each : {&tensor, &source}) {
      for (const double number : each->elements) {
        if (const std::string_view why = ofOperands({&number, 1}, false); !why.empty()) return why;
      }
    }
    std::vector<ExactTerms> rows(tensor.elements.size());
    std::vector<const double*> put(rows.size(), nullptr);
    for (size_t i = 0; i < rows.size(); ++i) addTerm(rows[i], tensor.elements[i]);
    const auto dim = static_cast<size_t>(expr_.attributes().dim());
    const Dims strides = contiguousStrides(tensor.sizes);
    Dims others = strides;
    others[dim] = 0;
    Aligned at(indices.sizes, std::vector<Dims>{contiguousStrides(source.sizes), others});
    for (const double index : indices.elements) {
      const double& element = source.elements.at(at.places()[0]);
      const size_t place = at.places()[1] + static_cast<size_t>(index) * static_cast<size_t>(strides[dim]);
      addTerm(rows.at(place), element);
      const bool same = !put[place] || *put[place] == element || (std::isnan(*put[place]) && std::isnan(element));
      if (expr_.op() == OpKind::Scatter && !same) return kTwice;
      put[place] = &element;
      at.next();
    }
    for (const ExactTerms& row : rows) {
      const std::string_view why = isOfTerms(row_.rule) ? whyNotExact(row_.rule, row, type_) : "";
      if (!why.empty()) return why;
    }
    return ofResults();
  }

  static void addTerm(ExactTerms& terms, double term) {
    ++terms.count;
    if (std::isfinite(term)) terms.add(term);
  }

  std::string_view ofResults() const {
    for (const double number : result_.elements) {
      if (const std::string_view why = ofResult(number, false); !why.empty()) return why;
    }
    return "";
  }

  // fromFinite: of operands that all are finite. An overflow is no exact result.
  std::string_view ofResult(double number, bool fromFinite) const {
    if (!std::isfinite(number)) return fromFinite || !keeps(number, resultType_) ? kResult : "";
    return fits(number, resultType_) ? "" : kResult;
  }

  const Expr& expr_;
  const ExactRow& row_;
  const std::vector<const Numbers*> operands_;
  const Numbers& result_;
  const HeldType type_, resultType_;
  const std::string_view format_;
};

class ExactRun {
 public:
  ExactRun(const Fusion& fusion, const std::vector<std::optional<reference::Value>>& values, const ExactFor& whom)
      : fusion_(fusion), whom_(whom), numbers_(fusion.valCount()) {
    exactness_.why.resize(fusion.valCount());
    for (size_t id = 0; id < values.size(); ++id) {
      if (values[id]) numbers_[id] = numbersOf(*values[id]);
    }
    // The reference has no values of literals.
    for (const Val* val : fusion.usedVals()) {
      const Scalar* scalar = val->isScalar() ? val->as<Scalar>() : nullptr;
      if (scalar && scalar->isConstant())
        numbers_.at(val->id()) = numbersOf(reference::Value{*scalar->constant(), nullptr});
    }
  }

  Exactness exactness() {
    for (const Val* input : fusion_.inputs()) note(*input, "input", ofInput(*input));
    const std::set<const Expr*> live = liveExprs();
    for (const Expr* expr : fusion_.exprs()) {
      if (live.count(expr)) noteExpr(*expr);
    }
    return std::move(exactness_);
  }

 private:
  // Those that outputs are made of.
  std::set<const Expr*> liveExprs() const {
    std::set<const Expr*> live;
    std::vector<const Val*> left(fusion_.outputs().begin(), fusion_.outputs().end());
    while (!left.empty()) {
      const Expr* expr = left.back()->definition();
      left.pop_back();
      if (!expr || !live.insert(expr).second) continue;
      for (const Val* operand : dependenciesOf(*expr)) left.push_back(operand);
    }
    return live;
  }

  // Not a size of an operand: that is exact where the sizes are, whatever the elements.
  static std::vector<const Val*> readBy(const Expr& expr) {
    if (expr.info().family == Family::Size) return {};
    return {expr.inputs().begin(), expr.inputs().end()};
  }

  // Whose numbers the result has: an index says which element, in a dtype of its own.
  static std::vector<const Val*> operandsOf(const Expr& expr) {
    std::vector<const Val*> vals = readBy(expr);
    if (familyInfo(expr.family()).operands == FamilyOperands::Indexed) vals.resize(1);
    return vals;
  }

  static std::vector<const Val*> dependenciesOf(const Expr& expr) {
    std::vector<const Val*> vals = readBy(expr);
    const std::vector<Val*> sizes = Fusion::extentScalars(&expr);
    vals.insert(vals.end(), sizes.begin(), sizes.end());
    return vals;
  }

  void note(const Val& val, std::string_view name, std::string_view why) {
    if (!why.empty()) exactness_.why[val.id()] = concat(name, " %", val.name(), ": ", why, " (", val.dtype(), ")");
  }

  std::string_view ofInput(const Val& input) const {
    const std::optional<Numbers>& numbers = numbers_.at(input.id());
    if (!numbers) return kUnknown;
    const auto allFit = [&](const HeldType& type) {
      return std::all_of(numbers->elements.begin(), numbers->elements.end(), [&](double number) {
        return std::isfinite(number) ? fits(number, type) : keeps(number, type);
      });
    };
    if (!allFit(numbers->dtype)) return kResult;
    return allFit(heldBy(whom_.target, numbers->dtype)) ? "" : kLiberty;
  }

  void noteExpr(const Expr& expr) {
    reports::ExactOp& counts = exactness_.ops[std::string(opName(expr.op()))][std::string(dtypeName(computed(expr)))];
    for (const Val* scalar : Fusion::extentScalars(&expr)) {
      if (!exactness_.of(*scalar).empty()) exactness_.sizesAreExact = false;
    }
    for (const Val* val : dependenciesOf(expr)) {
      const std::string why = exactness_.of(*val);
      if (why.empty()) continue;
      ++counts.dependent;
      for (const Val* result : expr.outputs()) exactness_.why[result->id()] = why;
      return;
    }
    const std::string_view why = whyOf(expr);
    ++(why.empty() ? counts.exact : counts.stops[std::string(why)]);
    if (why.empty()) return;
    const std::string text =
        concat(expr.info().mnemonic, " %", expr.output()->name(), ": ", why, " (", computed(expr), ")");
    for (const Val* result : expr.outputs()) exactness_.why[result->id()] = text;
  }

  std::string_view whyOf(const Expr& expr) const {
    const ExactRow* row = rowOf(expr.op());
    if (!row) return "it has no row in exact mode";
    if (expr.info().family == Family::Size && !exactness_.sizesAreExact) return kUnknown;
    std::vector<const Numbers*> operands;
    for (const Val* operand : operandsOf(expr)) {
      const std::optional<Numbers>& numbers = numbers_.at(operand->id());
      if (!numbers) return kUnknown;
      operands.push_back(&*numbers);
    }
    const std::optional<Numbers>& result = numbers_.at(expr.output()->id());
    if (!result) return "its result is not known";
    const auto whyFor = [&](std::string_view target) {
      return ExactExpr(expr, *row, operands, *result, {whom_.format, target}).why();
    };
    const std::string_view why = whyFor("");
    const auto isFinite = [&](const Val& val) { return allFinite(*numbers_.at(val.id())); };
    if (why.empty() && mayBeAChoice(expr, whom_.target, isFinite)) return kLiberty;
    if (why.empty() && !staysExactRegrouped(expr)) return kRegrouped;
    return why.empty() && !whyFor(whom_.target).empty() ? kLiberty : why;
  }

  // Whether all that the target may merge with it has so few bits that any order gives the same: multiples of 1/8 up to
  // 16, at most three expressions of them.
  bool staysExactRegrouped(const Expr& expr) const {
    constexpr double kMost = 16;
    constexpr int kUnit = -3;
    constexpr size_t kMostExprs = 3;
    const std::vector<const Expr*> chain = regrouped(expr, whom_.target);
    const auto isNarrow = [&](const Val* operand) {
      const std::optional<Numbers>& numbers = numbers_.at(operand->id());
      if (!numbers) return false;
      const NumberBounds& bounds = numbers->bounds;
      return bounds.areFinite && bounds.most <= kMost && bounds.unit >= kUnit;
    };
    return chain.size() <= kMostExprs && std::all_of(chain.begin(), chain.end(), [&](const Expr* one) {
             return std::all_of(one->inputs().begin(), one->inputs().end(), isNarrow);
           });
  }

  const Fusion& fusion_;
  const ExactFor whom_;
  std::vector<std::optional<Numbers>> numbers_;
  Exactness exactness_;
};

}  // namespace

std::set<OpKind> exactOps() {
  std::set<OpKind> ops;
  for (const ExactRow& row : kRows) ops.insert(row.op);
  return ops;
}

std::string_view sentenceOfNan(OpKind op) { return sentenceOf(op, &ExactRow::nan); }
std::string_view sentenceOfInfinity(OpKind op) { return sentenceOf(op, &ExactRow::infinity); }

Exactness exactnessOf(const Fusion& fusion, const std::vector<std::optional<reference::Value>>& values,
                      const ExactFor& whom) {
  return ExactRun(fusion, values, whom).exactness();
}

}  // namespace fuser::fuzz
