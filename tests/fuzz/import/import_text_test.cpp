// Graphs as text: each case of graphs.txt is a graph, and the answers its distinct subgraphs and the nodes outside.

#include "fuzz/import/import.h"
#include "tests/golden/golden_tests.h"

namespace fuser::fuzz {
namespace {

golden::Made importedText(const golden::Case& test) {
  Import import;
  import.add(parseGraph(test.input, test.title));
  golden::Answers answers;
  for (const ImportedSubgraph& each : import.subgraphs()) {
    answers.push_back({concat(each.subgraph.nodes, " nodes, ", each.times, " times"), each.subgraph.text});
  }
  const ImportedGraph& graph = import.graphs().front();
  std::string outside =
      concat(graph.taken, " of ", graph.nodes, " nodes are in subgraphs, ", graph.largest, " in one\n");
  for (const auto& [op, count] : graph.outside) outside += concat(count, " ", op.first, ": ", op.second, "\n");
  for (const auto& [why, count] : graph.lost) outside += concat(count, " nodes of a subgraph: ", why, "\n");
  answers.push_back({"", outside});
  return answers;
}

const golden::Texts texts("tests/fuzz/import/graphs.txt", {}, importedText);

}  // namespace
}  // namespace fuser::fuzz
