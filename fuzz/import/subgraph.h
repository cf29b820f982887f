#pragma once
// A region of a graph as a case: values that come from outside are inputs with the dtype, sizes and strides that they
// had.

#include <set>
#include <string>

#include "fuser/case/case.h"
#include "fuzz/import/regions.h"

namespace fuser::fuzz {

struct Subgraph {
  // A case in canonical form: values are named by their places in an order that depends on the program alone. Sizes are
  // symbols, unless the program then is not the same.
  std::string text;
  std::string key;         // the same without the ranges of data: equal for subgraphs that are equal up to names
  size_t nodes = 0;        // of the graph
  size_t expressions = 0;  // of the program
  std::set<std::string> features;  // each op with its dtype, and with the ops whose results it reads
};

// The text without its source and the ranges of its data: equal for subgraphs that are equal up to names.
std::string subgraphKey(const Case& testCase);

// A UserError says what in the region the language refuses; an OutsideTheLanguage, if it is a node by itself.
Subgraph subgraphOf(const Graph& graph, const Region& region);

// Whether a node by itself is a program of the language: "", or why not.
std::string whyOutside(const Graph& graph, size_t node);

}  // namespace fuser::fuzz
