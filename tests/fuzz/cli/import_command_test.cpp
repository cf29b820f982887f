// fuserfuzz import as a person starts it.

#include <fstream>

#include "tests/fuzz/cli/program.h"

namespace {

constexpr const char* kGraph = R"({"format": 1, "name": "mine", "torch": "2.11.0", "nodes": [
{"name": "x", "op": "placeholder", "arguments": {}, "results": [{"dtype": "float32", "shape": [3, 3], "strides": [3, 1]}]},
{"name": "y", "op": "aten.neg.default", "arguments": {"self": {"value": "x"}}, "results": [
  {"dtype": "float32", "shape": [3, 3], "strides": [3, 1]}]},
{"name": "v", "op": "aten.abs.default", "arguments": {"self": {"value": "y"}}, "results": [
  {"dtype": "float32", "shape": [3, 3], "strides": [3, 1]}]},
{"name": "z", "op": "aten._cdist_forward.default", "arguments": {"self": {"value": "v"}, "mat2": {"value": "x"}}, "results": [
  {"dtype": "float32", "shape": [3, 3], "strides": [3, 1]}]},
{"name": "w", "op": "aten.exp.default", "arguments": {"self": {"value": "z"}}, "results": [
  {"dtype": "float32", "shape": [3, 3], "strides": [3, 1]}]},
{"name": "output", "op": "output", "arguments": {"values": [{"value": "w"}]}, "results": []}
]})";

class ImportCommandTest : public FuserfuzzTest {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  std::string out(const std::string& name) const { return (folder_ / name).string(); }
  size_t filesIn(const std::string& name) const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder_ / name), {}));
  }
};

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(ImportCommandTest, PrintsTablesAndWritesCases) {
  const Outcome outcome = fuserfuzz("import " + file("graphs/mine.json", kGraph) + " --out " + out("cases"));
  EXPECT_EQ(outcome.exitCode, 0) << outcome.text;
  EXPECT_TRUE(holds(outcome.text, "| mine | 4 | 3 | 0.750 | 2 | 2 | 2 |\n")) << outcome.text;
  EXPECT_TRUE(holds(outcome.text, "| aten._cdist_forward.default | is no op of the language | 1 |\n")) << outcome.text;
  EXPECT_EQ(filesIn("cases"), 2u);
  EXPECT_EQ(fuserfuzz("replay " + out("cases")).exitCode, 0);
}

TEST_F(ImportCommandTest, TakesFoldersAndWritesAtMostSoMany) {
  file("graphs/a.json", kGraph);
  file("graphs/b.json", kGraph);
  const Outcome outcome = fuserfuzz("import " + out("graphs") + " --most 1 --out " + out("cases"));
  EXPECT_EQ(outcome.exitCode, 0) << outcome.text;
  EXPECT_TRUE(holds(outcome.text, "\n2 distinct subgraphs, 1 of them written to ")) << outcome.text;
  EXPECT_TRUE(holds(outcome.text, "| mine | 4 | 3 | 0.750 | 2 | 0 | 2 |\n")) << outcome.text;
  EXPECT_EQ(filesIn("cases"), 1u);
}

TEST_F(ImportCommandTest, WritesNoneThatAreTooLong) {
  const std::string graph = file("graphs/mine.json", kGraph);
  EXPECT_EQ(fuserfuzz("import " + graph + " --max-expressions 2 --out " + out("all")).exitCode, 0);
  EXPECT_EQ(filesIn("all"), 2u);
  EXPECT_EQ(fuserfuzz("import " + graph + " --max-expressions 1 --out " + out("short")).exitCode, 0);
  EXPECT_EQ(filesIn("short"), 1u);
}

TEST_F(ImportCommandTest, ErrorsAreOneSentence) {
  std::filesystem::create_directories(folder_ / "empty");
  const std::pair<std::string, std::string> errors[] = {
      {"import " + out("missing.json"), out("missing.json") + " does not exist"},
      {"import " + out("empty"), out("empty") + " holds no .json file"},
      {"import " + file("bad.json", "{"), out("bad.json") + ", line 1, column 2: is not JSON: it ends too early"},
      {"import " + file("other.json", "{}"),
       out("other.json") + " is no graph of fuzz/import/save_graph.py: it has no field 'nodes'"},
      {"import", "graphs is required"},
  };
  for (const auto& [arguments, error] : errors) {
    const Outcome outcome = fuserfuzz(arguments);
    EXPECT_EQ(outcome.exitCode, 1) << arguments;
    EXPECT_TRUE(holds(outcome.text, error)) << arguments << "\n" << outcome.text;
  }
}

}  // namespace
