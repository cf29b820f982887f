// fuserfuzz import: graphs of PyTorch's models as cases.

#include <algorithm>
#include <filesystem>
#include <memory>

#include "fuser/command_line/numbers.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/perform_task.h"
#include "fuzz/campaign/sha1.h"
#include "fuzz/cli/arguments.h"
#include "fuzz/cli/command.h"
#include "fuzz/import/import.h"

namespace fuser::fuzz {
namespace {

struct ImportArguments {
  std::vector<std::string> paths;
  std::string out;
  uint64_t most = 0, maxExpressions = 0;
  bool decided = false;
};

// The .json files among the paths and in the folders among them, sorted by name.
std::vector<std::filesystem::path> graphFiles(const std::vector<std::string>& paths) {
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path path : paths) {
    FUSER_USER_CHECK(std::filesystem::exists(path), path.string(), " does not exist");
    if (!std::filesystem::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    const size_t before = files.size();
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      if (entry.path().extension() == ".json") files.push_back(entry.path());
    }
    FUSER_USER_CHECK(files.size() > before, path.string(), " holds no .json file");
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end());
  }
  return files;
}

void printGraphs(const Import& import) {
  printLine("| graph | nodes | taken | share | subgraphs | new | largest |\n|---|---|---|---|---|---|---|");
  for (const ImportedGraph& graph : import.graphs()) {
    char share[16];
    std::snprintf(share, sizeof share, "%.3f", graph.nodes == 0 ? 0 : static_cast<double>(graph.taken) / graph.nodes);
    printLine(concat("| ", graph.name, " | ", graph.nodes, " | ", graph.taken, " | ", share, " | ", graph.subgraphs,
                     " | ", graph.distinct, " | ", graph.largest, " |"));
  }
}

// A row an op and reason, the most frequent first.
void printOutside(const Import& import) {
  std::map<std::pair<std::string, std::string>, size_t> all;
  std::map<std::string, size_t> lost;
  for (const ImportedGraph& graph : import.graphs()) {
    for (const auto& [op, count] : graph.outside) all[op] += count;
    for (const auto& [why, count] : graph.lost) lost[why] += count;
  }
  std::vector<std::pair<size_t, std::string>> rows;
  for (const auto& [op, count] : all) rows.emplace_back(count, concat("| ", op.first, " | ", op.second, " | "));
  for (const auto& [why, count] : lost) rows.emplace_back(count, concat("| a subgraph | ", why, " | "));
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  if (!rows.empty()) printLine("\n| outside | why | nodes |\n|---|---|---|");
  for (const auto& [count, row] : rows) printLine(concat(row, count, " |"));
}

// Whether the judge decides each element of its results, and all are right.
bool isDecided(const Subgraph& subgraph) {
  const JudgingTask task = TextsTask{{subgraph.text}};
  return resultOf(runAlone(printTask(task), Limits(), judgingWork(TaskSettings()))).verdict.kind == VerdictKind::Agrees;
}

int importCommand(const ImportArguments& arguments) {
  if (!arguments.out.empty()) makeWritableFolder(arguments.out);
  Import import;
  for (const std::filesystem::path& file : graphFiles(arguments.paths)) {
    import.add(parseGraph(readTextFile(file.string()), file.string()));
  }
  printGraphs(import);
  printOutside(import);
  const size_t most = arguments.most == 0 ? import.subgraphs().size() : arguments.most;
  const size_t maxExpressions = arguments.maxExpressions == 0 ? SIZE_MAX : arguments.maxExpressions;
  const std::vector<size_t> chosen = import.chosen(most, [&](const Subgraph& subgraph) {
    return subgraph.expressions <= maxExpressions && (!arguments.decided || isDecided(subgraph));
  });
  printLine(concat("\n", import.subgraphs().size(), " distinct subgraphs",
                   arguments.out.empty() ? "" : concat(", ", chosen.size(), " of them written to ", arguments.out)));
  if (arguments.out.empty()) return kExitClean;
  for (size_t i : chosen) {
    const ImportedSubgraph& each = import.subgraphs()[i];
    const std::string name = concat(each.graph, "-", sha1(each.subgraph.key).substr(0, 8), ".fusion");
    reports::writeFile(std::filesystem::path(arguments.out) / name, each.subgraph.text);
  }
  return kExitClean;
}

}  // namespace

Command addImportCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand("import", "make cases of the graphs of PyTorch's models");
  const auto arguments = std::make_shared<ImportArguments>();
  command->add_option("graphs", arguments->paths, "files that fuzz/import/save_graph.py wrote, and folders of them")
      ->type_name("GRAPH.json")
      ->required();
  command->add_option("--out", arguments->out, "folder for the cases; created if missing. Without it none is written")
      ->type_name("DIR");
  takesCount(
      command->add_option("--most", arguments->most,
                          "write at most so many, those with the most ops, dtypes and pairs of ops that no other "
                          "one has; 0: all"),
      0)
      ->type_name("N")
      ->capture_default_str();
  takesCount(command->add_option("--max-expressions", arguments->maxExpressions,
                                 "write none with more expressions than that; 0: no limit"),
             0)
      ->type_name("N")
      ->capture_default_str();
  command->add_flag("--decided", arguments->decided,
                    "write those alone that replay with each element decided and right; the others may be findings");
  command->footer(R"(
What it does
  A graph is split at each op that the language of fusions has not (convolution, sort, a large matmul, …). What lies
  between becomes connected subgraphs, as large as they can be while none is left and entered again. What a subgraph
  reads from outside is an input, with the dtype, sizes and strides that it had, and data in the range that was seen. Sizes
  are symbols, one for each number. Subgraphs that are equal up to names are written once: GRAPH-HASH.fusion, named by the
  first graph that has it and the hash of its text.
  The tables say, of each graph, how many nodes it has and how many are in subgraphs, how many of its subgraphs are new, and
  how many nodes the largest one has; and which ops are outside, and why.

  To save a graph, in a Python with torch:
    python fuzz/import/save_graph.py model.pt2 model.json     what torch.export.save has written
    from save_graph import save; save(program, "model.json")  an ExportedProgram, or a GraphModule of make_fx
  fuzz/import/models.py saves those of 40 small models (after fuzz/compilers/setup models).

Examples
  fuserfuzz import model.json                               the tables
  fuserfuzz import model.json --out subgraphs               the cases, too
  fuserfuzz import graphs --out corpus/models --most 200 --max-expressions 150 --decided
)");
  return {command, [arguments](const LogPtr&) { return importCommand(*arguments); }};
}

}  // namespace fuser::fuzz
