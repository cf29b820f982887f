// fuzz/import/save_graph.py, run by the Python of fuzz/compilers/setup torch.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "fuzz/import/import.h"
#include "tests/golden/golden_file.h"

namespace fuser::fuzz {
namespace {

constexpr const char* kProgram = R"(
import os, sys
sys.path.insert(0, "fuzz/import")
import torch
from torch.fx.experimental.proxy_tensor import make_fx
from save_graph import GraphError, decompositions, save

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.linear = torch.nn.LayerNorm(6), torch.nn.Linear(6, 5)
    def forward(self, x):
        return torch.softmax(self.linear(self.norm(x)), -1)

out = os.environ["OUT"]
for name in ("first", "second"):
    torch.manual_seed(1)
    save(torch.export.export(Model(), (torch.randn(6, 4).t(),)), f"{out}/{name}.json", "model")

def gradient(x, y):
    return torch.func.grad(lambda x: torch.nn.functional.gelu(x * y, approximate="tanh").sum())(x)
inputs = torch.randn(3, 4), torch.randn(4)
save(make_fx(gradient, decomposition_table=decompositions())(*inputs), f"{out}/gradient.json", inputs=inputs)

try:
    save(torch.fx.symbolic_trace(torch.nn.ReLU()), f"{out}/untraced.json")
except GraphError as error:
    print(error)
)";

// The program runs once for all tests: torch takes seconds to import.
class SaveGraphTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const char *cache = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");
    const std::string caches = cache && *cache ? cache : concat(home ? home : "", "/.cache");
    const std::string python = caches + "/fuser/compilers/torch/bin/python";
    if (!std::filesystem::exists(python)) return;
    folder() = std::filesystem::temp_directory_path() / concat("save_graph_test.", getpid());
    std::filesystem::create_directories(folder());
    std::ofstream(folder() / "program.py") << kProgram;
    const std::string command = concat("OUT=", folder().string(), " ", python, " ", (folder() / "program.py").string(),
                                       " > ", (folder() / "printed").string(), " 2> ", (folder() / "errors").string());
    EXPECT_EQ(std::system(command.c_str()), 0) << file("errors");
  }
  static void TearDownTestSuite() {
    if (!folder().empty()) std::filesystem::remove_all(folder());
  }
  void SetUp() override {
    if (folder().empty()) GTEST_SKIP() << "type: fuzz/compilers/setup torch";
  }
  static std::filesystem::path& folder() {
    static std::filesystem::path path;
    return path;
  }
  static std::string file(const std::string& name) { return golden::readFile((folder() / name).string()); }
  static Import imported(const std::string& name) {
    Import import;
    import.add(parseGraph(file(name), name));
    return import;
  }
};

TEST_F(SaveGraphTest, SavesWhatTorchExportsTheSameEachTime) {
  EXPECT_EQ(file("first.json"), file("second.json"));
  const Import import = imported("first.json");
  const ImportedGraph& graph = import.graphs().front();
  EXPECT_TRUE(graph.outside.empty()) << graph.outside.begin()->first.first;
  EXPECT_EQ(graph.taken, graph.nodes);
  const std::string& text = import.subgraphs()[0].subgraph.text;
  EXPECT_NE(text.find("fusion (%x0: f32[i0, i1] {allocation_order = [1, 0]}"), text.npos) << text;
  EXPECT_NE(text.find("%x0 = uniform(seed = 1, low = -"), text.npos) << text;
}

TEST_F(SaveGraphTest, SavesGradientsOfMakeFx) {
  const Import import = imported("gradient.json");
  const ImportedGraph& graph = import.graphs().front();
  EXPECT_TRUE(graph.outside.empty()) << graph.outside.begin()->first.first;
  EXPECT_GT(graph.largest, 10u);
}

TEST_F(SaveGraphTest, SaysWhatCannotBeSaved) {
  EXPECT_EQ(file("printed"), "the node input_1 has no recorded value; trace with make_fx or torch.export\n");
}

}  // namespace
}  // namespace fuser::fuzz
