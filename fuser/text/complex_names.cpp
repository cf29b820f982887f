// The tables of names that take complex values.

#include <algorithm>
#include <iterator>

#include "fuser/text/complex_values.h"

namespace fuser::text {
namespace {

constexpr ComplexFunction kFunctions[] = {
    {"mul", 2, "", complexProduct},
    {"div", 2, "", complexQuotient},
    {"reciprocal", 1, "", complexReciprocal},
    {"square", 1, "", complexSquare},
    {"abs", 1, "", complexSize},
    {"angle", 1, "", complexAngle},
    {"complex", 2, "", complexFromParts},
    {"polar", 2, "", complexFromPolar},
    {"eq", 2, "", complexEqual},
    {"ne", 2, "", complexUnequal},
    {"prod", 1, "dims = all, text keepdim = false", complexProd},
    {"isnan", 1, "", complexIsNan},
    {"isinf", 1, "", complexIsInf},
    {"isfinite", 1, "", complexIsFinite},
};

constexpr NameOfParts kNamesOfParts[] = {
    {"add", Numbers::All},
    {"sub", Numbers::All},
    {"neg"},
    {"cast"},
    {"set"},
    {"segment_set"},
    {"sum"},
    {"mean"},
    {"cumsum"},
    {"where", Numbers::Behind},
    {"masked_fill", Numbers::FirstAndThird},
    {"triu"},
    {"tril"},
    {"unsqueeze"},
    {"squeeze"},
    {"permute"},
    {"transpose"},
    {"t"},
    {"movedim"},
    {"flip"},
    {"roll"},
    {"expand"},
    {"expand_as", Numbers::First, {}, true},
    {"reshape"},
    {"view"},
    {"view_as", Numbers::First, {}, true},
    {"flatten"},
    {"unflatten"},
    {"slice"},
    {"narrow"},
    {"select"},
    {"split"},
    {"chunk"},
    {"unfold"},
    {"pad"},
    {"repeat"},
    {"cat", Numbers::All},
    {"stack", Numbers::All},
    {"diagonal"},
    {"diag_embed"},
    {"gather"},
    {"take_along_dim"},
    {"index_select"},
    {"embedding"},
    {"slice_scatter", Numbers::FirstAndLast},
    {"select_scatter", Numbers::FirstAndLast},
    {"diagonal_scatter", Numbers::FirstAndLast},
    {"scatter", Numbers::FirstAndThird},
    {"scatter_add", Numbers::FirstAndThird},
    {"index_add", Numbers::FirstAndThird},
    {"index_copy", Numbers::FirstAndThird},
    {"index_put", Numbers::FirstAndLast},
    {"index_fill"},
    {"full"},
    {"full_like"},
    {"zeros"},
    {"zeros_like"},
    {"ones", Numbers::First, "zeros"},
    {"ones_like", Numbers::First, "zeros_like"},
};

constexpr std::string_view kBilinear[] = {"matmul", "mm", "bmm", "mv", "dot", "outer"};
constexpr std::string_view kOfComplexAlone[] = {
    "real", "imag", "conj", "resolve_conj", "view_as_real", "complex", "polar", "view_as_complex", "angle"};

// Complex numbers have no order: of each of these LibTorch 2.11 has an error.
constexpr std::string_view kOrdered[] = {
    "lt",      "le",    "gt",       "ge",     "maximum",   "minimum", "fmax",      "fmin",        "max",
    "min",     "amax",  "amin",     "argmax", "argmin",    "clamp",   "clamp_min", "clamp_max",   "sort",
    "argsort", "topk",  "kthvalue", "median", "cummax",    "cummin",  "sign",      "floor",       "ceil",
    "trunc",   "round", "frac",     "fmod",   "remainder", "relu",    "bucketize", "searchsorted"};

template <class Row, size_t kRows>
const Row* findRow(const Row (&rows)[kRows], std::string_view name) {
  const auto found = std::find_if(std::begin(rows), std::end(rows), [&](const Row& row) { return row.name == name; });
  return found == std::end(rows) ? nullptr : found;
}

template <size_t kNames>
bool holds(const std::string_view (&names)[kNames], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace

const ComplexFunction* findComplexFunction(std::string_view name) { return findRow(kFunctions, name); }

std::vector<std::string_view> complexFunctionNames() {
  std::vector<std::string_view> names;
  for (const ComplexFunction& function : kFunctions) names.push_back(function.name);
  return names;
}
const NameOfParts* findNameOfParts(std::string_view name) { return findRow(kNamesOfParts, name); }

bool isBilinear(std::string_view name) { return holds(kBilinear, name); }
bool isOfComplexAlone(std::string_view name) { return holds(kOfComplexAlone, name); }
bool needsOrder(std::string_view name) { return holds(kOrdered, name); }
std::vector<std::string_view> namesOfComplexAlone() { return {std::begin(kOfComplexAlone), std::end(kOfComplexAlone)}; }

}  // namespace fuser::text
