#pragma once
// Import: graphs of PyTorch's models as cases. A graph is taken apart at the ops that the language has not; each
// connected part is a subgraph, and those that are equal up to names are one.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "fuzz/import/subgraph.h"

namespace fuser::fuzz {

struct ImportedGraph {
  std::string name;
  size_t nodes = 0;                                               // of ops, without getitem
  size_t taken = 0;                                               // of them in subgraphs
  size_t subgraphs = 0;                                           // equal ones count each
  size_t distinct = 0;                                            // that no graph before had
  size_t largest = 0;                                             // nodes of the largest one
  std::map<std::pair<std::string, std::string>, size_t> outside;  // ops by name, and why
  std::map<std::string, size_t>
      lost;  // nodes of subgraphs that the language refuses, though each node alone is taken; by why
};

struct ImportedSubgraph {
  Subgraph subgraph;
  std::string graph;  // the first that has it
  size_t number = 0;  // among the new ones of that graph
  size_t times = 1;   // in all graphs
};

class Import {
 public:
  void add(const Graph& graph);

  const std::vector<ImportedGraph>& graphs() const { return graphs_; }
  const std::vector<ImportedSubgraph>& subgraphs() const { return subgraphs_; }  // distinct ones, in order

  // At most `count` subgraphs that `accepts` takes, as indices in ascending order: each time the one with most ops and
  // pairs of ops that none before had; then, with a set of features of their own, the largest.
  std::vector<size_t> chosen(size_t count, const std::function<bool(const Subgraph&)>& accepts) const;

 private:
  std::vector<ImportedGraph> graphs_;
  std::vector<ImportedSubgraph> subgraphs_;
  std::map<std::string, size_t> byKey_;  // index in subgraphs_
};

}  // namespace fuser::fuzz
