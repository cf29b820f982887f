// A case with the calls of its text.

#include <algorithm>
#include <map>
#include <set>

#include "fuser/support/set_up_error.h"
#include "fuser/text/parser.h"
#include "fuser/text/print_statements.h"
#include "fuser/text/printer.h"
#include "fuser/text/written_calls.h"

namespace fuser {
namespace {

// Values that an expression's line names: operands, and scalars in the sizes of attributes and of results.
std::vector<const Val*> namedBy(const Expr* expr) {
  std::vector<const Val*> vals(expr->inputs().begin(), expr->inputs().end());
  const auto add = [&](const std::vector<Val*>& more) { vals.insert(vals.end(), more.begin(), more.end()); };
  add(Fusion::extentScalars(expr));
  for (const Val* output : expr->outputs()) {
    if (!output->isTensor()) continue;
    for (const IterDomain* axis : output->as<TensorView>()->axes()) add(expr->fusion().scalarsOf(axis->size()));
  }
  return vals;
}

constexpr const char* kFewerOps = "the program has not all of its ops any more";

class CallPrinter {
 public:
  CallPrinter(const Case& testCase, const WrittenCalls& calls)
      : case_(testCase), fusion_(*testCase.fusion), names_(fusion_), calls_(calls), whyNot_(calls.size()) {
    for (size_t i = 0; i < calls_.size(); ++i) whyNot_[i] = whyOtherOps(calls_[i]);
    for (size_t i = 0; i < calls_.size(); ++i) {
      if (!whyNot_[i].empty()) continue;
      for (size_t val : calls_[i].made) callOf_.emplace(definitionOf(val), i);
    }
    findOutsideUses();
  }

  CaseWithCalls print() const {
    CaseWithCalls printed;
    printed.text = printCase(case_, printFusion(fusion_, names_, statements()));
    for (size_t i = 0; i < calls_.size(); ++i) {
      if (!whyNot_[i].empty()) printed.notes.push_back(concat(calls_[i].written(), ": ", whyNot_[i]));
    }
    return printed;
  }

 private:
  const Expr* definitionOf(size_t val) const {
    return val < fusion_.valCount() ? fusion_.allVals()[val]->definition() : nullptr;
  }

  // "" where the case has the ops that the call was read as.
  std::string whyOtherOps(const WrittenCall& call) const {
    for (size_t i = 0; i < call.results.size(); ++i) {
      const size_t result = call.results[i];
      const bool isMade = std::find(call.made.begin(), call.made.end(), result) != call.made.end();
      if (!isMade) return concat("none of its ops makes ", call.names[i]);
      // What it makes on the way is named after its results.
      if (!definitionOf(result)) return kFewerOps;
      const std::string name = operandOf(result);
      if (name != call.names[i])
        return concat("the text has ", call.names[i], " for another value too, and this one is ", name);
    }
    std::vector<std::string> ops;
    const Expr* last = nullptr;
    for (size_t val : call.made) {
      const Expr* expr = definitionOf(val);
      if (!expr) return kFewerOps;
      if (expr != last) ops.push_back(printExpr(expr, names_));
      last = expr;
    }
    return ops == call.ops ? "" : "its ops are others now";
  }

  void findOutsideUses() {
    std::map<const Val*, size_t> inside;  // values that a call makes on its way; for look-ups
    for (size_t i = 0; i < calls_.size(); ++i) {
      const std::vector<size_t>& results = calls_[i].results;
      for (size_t val : calls_[i].made) {
        const bool isResult = std::find(results.begin(), results.end(), val) != results.end();
        if (!isResult && whyNot_[i].empty()) inside.emplace(fusion_.allVals()[val].get(), i);
      }
    }
    const auto use = [&](const Val* val, const std::string& what) {
      const auto found = inside.find(val);
      if (found == inside.end() || !whyNot_[found->second].empty()) return;
      whyNot_[found->second] = concat(what, " %", names_.of(val), ", which it makes on the way");
    };
    for (const Expr* expr : fusion_.exprs()) {
      const auto call = callOf_.find(expr);
      for (const Val* val : namedBy(expr)) {
        const auto found = inside.find(val);
        const bool isOwn = found != inside.end() && call != callOf_.end() && call->second == found->second;
        if (!isOwn) use(val, concat("%", names_.of(expr->output()), " reads"));
      }
    }
    for (const Val* output : fusion_.outputs()) use(output, "the fusion returns");
    // Whoever reads the call needs the names in its results' types.
    for (size_t i = 0; i < calls_.size(); ++i) {
      for (size_t result : calls_[i].results) {
        const Val* val = fusion_.allVals()[result].get();
        if (!whyNot_[i].empty() || !val->isTensor()) continue;
        for (const IterDomain* axis : val->as<TensorView>()->axes()) {
          for (const Val* scalar : fusion_.scalarsOf(axis->size())) use(scalar, "its result has the size");
        }
      }
    }
  }

  std::vector<std::string> statements() const {
    std::vector<std::string> lines;
    std::set<size_t> printed;
    int64_t randomOps = 0;
    for (const Expr* expr : fusion_.exprs()) {
      const auto found = callOf_.find(expr);
      if (found == callOf_.end() || !whyNot_[found->second].empty()) {
        lines.push_back(printExpr(expr, names_));
      } else if (printed.insert(found->second).second) {
        const WrittenCall& call = calls_[found->second];
        lines.push_back(lineOf(call, randomOps));
        randomOps += call.isRandom;
      }
    }
    return lines;
  }

  std::string operandOf(size_t val) const { return printOperand(fusion_.allVals()[val].get(), names_); }

  // `place`: of a random op among those that the text has as calls.
  std::string lineOf(const WrittenCall& call, int64_t place) const {
    std::string operands, attributes, types;
    for (size_t operand : call.operands) operands += concat(operands.empty() ? "" : ", ", operandOf(operand));
    for (const WrittenCall::Piece& piece : call.attributes) {
      attributes += piece.value ? operandOf(*piece.value) : piece.text;
    }
    if (call.place && *call.place != place) {
      attributes += concat(attributes.empty() ? "" : ", ", "offset = ", *call.place);
    }
    for (size_t result : call.results) {
      types += concat(types.empty() ? "" : ", ", printType(fusion_.allVals()[result].get(), names_));
    }
    return concat(call.written(), "(", operands, ")", attributes.empty() ? "" : concat(" {", attributes, "}"), " : ",
                  types);
  }

  const Case& case_;
  const Fusion& fusion_;
  const ValueNames names_;
  const WrittenCalls& calls_;
  std::vector<std::string> whyNot_;       // by call; "": it is kept
  std::map<const Expr*, size_t> callOf_;  // of calls that have their ops; for look-ups
};

}  // namespace

CaseWithCalls printCaseWithCalls(const Case& testCase, const WrittenCalls& calls) {
  CaseWithCalls printed = CallPrinter(testCase, calls).print();
  std::string again;
  try {
    again = printCase(parseCase(printed.text, "the case with calls"));
  } catch (const UserError& error) {
    rethrowIfSetUpError(error);
    again = error.what();
  }
  FUSER_CHECK(again == printCase(testCase), "a case with calls reads as another one:\n", printed.text, "\n", again);
  return printed;
}

}  // namespace fuser
