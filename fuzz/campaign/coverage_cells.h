#pragma once
// Coverage cells, each of an op and a class: on such a dtype, at such a rank (both at once: combinations.h), with
// operands that lie so in memory, of such a size, with such an attribute. A campaign counts the cases of each, and
// lists those that it never or seldom drew: what is not in a table cannot have been found wrong.

#include <array>
#include <set>
#include <string>
#include <vector>

#include "fuser/case/case.h"
#include "fuzz/views/views.h"

namespace fuser::fuzz {

// Table, op, class: {"layout", "Add", "permuted"}. Tables: dtype, rank, layout (of a tensor operand), size (of the last
// axis of the first tensor operand, or of the result, in a run), data (of an operand that is an input: how it is
// drawn), terms (of a reduction), attribute ("dims all", "start negative"), name (in place of an op: what the text
// makes of several ops, where the generator says that it drew it), view (in which a case of the op was judged, too; in
// place of an op also "aliases": outputs in the inputs' memory), option (of a case, or of one of its views: its name in
// place of an op, and its value, "a number" for any number).
using Cell = std::array<std::string, 3>;

// Of the case's ops on tensors, but for views. Sizes that follow from computed scalars are in no cell.
std::set<Cell> cellsOf(const Case& testCase);
// Of a case that was judged in the view.
std::set<Cell> cellsOf(const Case& testCase, const View& view);
// Options that are not as where nobody says.
std::set<Cell> cellsOf(const CompileOptions& options);

// All that some case can have, in the order of tables, ops and classes. Options that batches (judge/compiler_batch.h),
// bisections and readers of texts set are left out.
const std::vector<Cell>& possibleCells();
// Whether views of a case have it, and the case itself need not.
bool isOfViews(const Cell& cell);

std::string cellText(const Cell& cell);  // "Add: layout permuted"

}  // namespace fuser::fuzz
