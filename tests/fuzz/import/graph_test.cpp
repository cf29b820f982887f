// Reading graphs: what is wrong is said in a sentence, with its place.

#include <gtest/gtest.h>

#include "fuser/support/check.h"
#include "fuzz/import/graph.h"

namespace fuser::fuzz {
namespace {

std::string errorOf(const std::string& text) {
  try {
    parseGraph(text, "g.json");
  } catch (const UserError& error) {
    return error.what();
  }
  return "none";
}

std::string graphOf(const std::string& nodes) {
  return R"({"format": 1, "name": "g", "torch": "2.11.0", "nodes": [)" + nodes + "]}";
}

constexpr const char* kInput =
    R"({"name": "x", "op": "placeholder", "arguments": {}, "results": [{"dtype": "float32", "shape": [2], "strides": [1]}]})";

TEST(GraphTest, ErrorsNameTheNodeAndWhatIsWrong) {
  const std::pair<std::string, const char*> errors[] = {
      {"{", "g.json, line 1, column 2: is not JSON: it ends too early"},
      {"[]", "g.json is no graph of fuzz/import/save_graph.py: it has no field 'nodes'"},
      {R"({"format": 7, "nodes": []})",
       "g.json has format 7, and this program reads 1; save the graph again with its fuzz/import/save_graph.py"},
      {R"({"format": 1, "nodes": []})",
       "g.json: is no part of a graph of fuzz/import/save_graph.py: it has no field 'name'"},
      {graphOf("7"),
       "g.json: is no part of a graph of fuzz/import/save_graph.py: a value is of another type than it "
       "should be"},
      {graphOf(R"({"name": "x", "op": "placeholder"})"),
       "g.json, node 'x': is no part of a graph of fuzz/import/save_graph.py: it has no field 'arguments'"},
      {graphOf(R"({"name": "x", "op": "placeholder", "arguments": {}, "results": [{"dtype": "float9"}]})"),
       "g.json, node 'x': the dtype 'float9' is unknown"},
      {graphOf(R"({"name": "x", "op": "placeholder", "arguments": {}, "results": [
                   {"dtype": "float32", "shape": [2, 3], "strides": [1]}]})"),
       "g.json, node 'x': has 2 sizes and 1 strides"},
      {graphOf(R"({"name": "x", "op": "placeholder", "arguments": {}, "results": [
                   {"dtype": "float32", "shape": [-2], "strides": [1]}]})"),
       "g.json, node 'x': has the size -2"},
      {graphOf(std::string(kInput) + "," + kInput), "g.json, node 'x': the name is given twice"},
      {graphOf(R"({"name": "y", "op": "aten.neg.default", "arguments": {"self": {"value": "x"}}, "results": [null]})"),
       "g.json, node 'y': reads 'x', which no node before it makes"},
      {graphOf(std::string(kInput) +
               R"(,{"name": "y", "op": "getitem", "arguments": {"value": {"value": "x"}, "index": 1}, "results": []})"),
       "g.json, node 'y': takes result 1 of 1"},
      {graphOf(R"({"name": "p", "op": "aten.unbind.int", "arguments": {}, "results": [null, null]},)"
               R"({"name": "y", "op": "aten.neg.default", "arguments": {"self": {"value": "p"}}, "results": [null]})"),
       "g.json, node 'y': reads 'p', which has 2 results"},
  };
  for (const auto& [text, error] : errors) EXPECT_EQ(errorOf(text), error) << text;
}

TEST(GraphTest, AGetitemIsAResultUnderAnotherName) {
  const Graph graph = parseGraph(
      graphOf(
          R"({"name": "p", "op": "aten.unbind.int", "arguments": {}, "results": [null, null]},)"
          R"({"name": "second", "op": "getitem", "arguments": {"value": {"value": "p"}, "index": 1}, "results": [null]},)"
          R"({"name": "output", "op": "output", "arguments": {"values": [{"value": "second"}]}, "results": []})"),
      "g.json");
  ASSERT_EQ(graph.nodes.size(), 1u);
  EXPECT_EQ(graph.outputs, std::vector<size_t>{1});
  EXPECT_EQ(graph.values[1].name, "p.1");
  EXPECT_FALSE(graph.values[0].isUsed);
  EXPECT_TRUE(graph.values[1].isUsed);
}

// Files come from anywhere: whatever is damaged, the answer is a graph or a sentence.
TEST(GraphTest, DamagedGraphsAreErrorsOfTheUser) {
  const std::string whole = graphOf(
      std::string(kInput) +
      R"(,{"name": "y", "op": "aten.sum.dim_IntList", "arguments": {"self": {"value": "x"}, "dim": [0]}, "results": [
          {"dtype": "float32", "shape": [], "strides": [], "range": [0, 1]}]},)"
      R"({"name": "output", "op": "output", "arguments": {"values": [{"value": "y"}]}, "results": []})");
  EXPECT_EQ(errorOf(whole), "none");
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const char* byte : {"", "7", "\"", "]", "{", "-"}) {
      std::string damaged = whole;
      damaged.replace(at, 1, byte);
      EXPECT_NO_THROW(errorOf(damaged)) << damaged;
    }
  }
}

}  // namespace
}  // namespace fuser::fuzz
