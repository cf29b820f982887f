#include "fuzz/export/python_names.h"

#include <cctype>

#include "fuser/text/printer.h"

namespace fuser::fuzz {
namespace {

// Python's keywords, and the names that a script's lines use.
constexpr std::string_view kTaken[] = {
    "False", "None",     "True",   "and",    "as",      "assert",   "async",   "await",    "break",
    "class", "continue", "def",    "del",    "elif",    "else",     "except",  "finally",  "for",
    "from",  "global",   "if",     "import", "in",      "is",       "lambda",  "nonlocal", "not",
    "or",    "pass",     "raise",  "return", "try",     "while",    "with",    "yield",    "torch",
    "np",    "F",        "min",    "max",    "f64",     "i64",      "boolean", "number",   "fusion",
    "slice", "place",    "memory", "normal", "uniform", "integers", "special", "values"};

bool isNameByte(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

}  // namespace

PythonNames::PythonNames(const Fusion& fusion) : fusion_(fusion), names_(fusion) {
  taken_.insert(std::begin(kTaken), std::end(kTaken));
  values_.resize(fusion.valCount());
  for (const Val* val : fusion.usedVals()) {
    if (val->isScalar() && val->as<Scalar>()->isConstant()) continue;
    values_[val->id()] = fresh(names_.of(val));
    symbols_["%" + names_.of(val)] = values_[val->id()];
  }
  for (const IntSymbol& symbol : fusion.ints().symbols()) {
    if (fusion.scalarOf(symbol.expr)) continue;
    const std::string& name = names_.ofSymbol(symbol.expr);
    symbols_[name] = fresh(name);
  }
}

std::string PythonNames::fresh(const std::string& wanted) {
  std::string name = std::isdigit(static_cast<unsigned char>(wanted[0])) || wanted[0] == '.' ? "v" + wanted : wanted;
  for (char& c : name) c = c == '.' ? '_' : c;
  while (!taken_.insert(name).second) name += "_";
  return name;
}

// The text of a .fusion file, whose operators are Python's, with other names.
std::string PythonNames::dim(IntExpr dim) const {
  const std::string text = printDim(fusion_, dim, names_);
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    if (text[at] != '%' && !isNameByte(text[at])) {
      out += text[at++];
      continue;
    }
    while (end < text.size() && isNameByte(text[end])) ++end;
    const std::string word = text.substr(at, end - at);
    const auto found = symbols_.find(word);
    const bool isCall = end < text.size() && text[end] == '(';  // min(…), max(…)
    out += found == symbols_.end() || isCall ? word : found->second;
    at = end;
  }
  return out;
}

}  // namespace fuser::fuzz
