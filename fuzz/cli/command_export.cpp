// fuserfuzz export: cases as programs of other frameworks.

#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <set>

#include "fuser/command_line/numbers.h"
#include "fuser/support/set_up_error.h"
#include "fuser/text/parser.h"
#include "fuser/text/read_file.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/combinations.h"
#include "fuzz/cli/arguments.h"
#include "fuzz/cli/command.h"
#include "fuzz/export/export.h"
#include "fuzz/export/reference_outputs.h"

namespace fuser::fuzz {
namespace {

struct ExportArguments {
  GeneratorArguments generator;
  std::vector<std::string> paths;
  uint64_t cases = 0;
  std::string format = "pytorch";
  std::string out;
  bool combinations = false, withReference = false;
};

// What became of the cases of one set: a folder, or the generated ones.
struct ExportCounts {
  int64_t exported = 0, refused = 0, unread = 0;
};

void writeProgram(const std::filesystem::path& file, const ExportedProgram& program) {
  reports::writeFile(file, program.text);
  if (!program.data.empty()) reports::writeFile(std::filesystem::path(file).replace_extension(".bin"), program.data);
}

class FolderExport {
 public:
  explicit FolderExport(const ExportArguments& arguments)
      : folder_(arguments.out), format_(exportFormat(arguments.format)) {
    makeWritableFolder(folder_);
    if (arguments.withReference) reference_ = std::make_unique<ReferenceOutputs>(folder_, format_.bySteps);
  }

  void add(const std::string& set, const std::string& name, const Case& testCase) {
    const Exported exported = format_.write(testCase);
    if (exported.refusal) {
      ++counts_[set].refused;
      ++refusals_[toString(*exported.refusal)];
      return;
    }
    const std::string file = concat(name, format_.ending);
    FUSER_USER_CHECK(written_.insert(file).second, "two cases are called ", name, "; export them to two folders");
    for (const ExportedProgram& program : exported.programs) {
      writeProgram(folder_ / (name + program.ending), program);
      if (reference_) reference_->add(name + program.ending, program);
    }
    ++counts_[set].exported;
  }

  void addUnread(const std::string& set) { ++counts_[set].unread; }

  // Prints a row a set, then one a kind of refusal.
  void finish() {
    if (reference_) reference_->finish();
    printLine(concat("| cases | exported to ", format_.name, " | refused | share | not read, as they expect |"));
    printLine("|---|---|---|---|---|");
    for (const auto& [set, counts] : counts_) {
      char share[16];
      const int64_t all = counts.exported + counts.refused;
      std::snprintf(share, sizeof share, "%.3f", all == 0 ? 1 : static_cast<double>(counts.exported) / all);
      printLine(
          concat("| ", set, " | ", counts.exported, " | ", counts.refused, " | ", share, " | ", counts.unread, " |"));
    }
    if (refusals_.empty()) return;
    printLine("\n| refused: dtype, op, why | cases |\n|---|---|");
    for (const auto& [refusal, count] : refusals_) printLine(concat("| ", refusal, " | ", count, " |"));
  }

 private:
  std::filesystem::path folder_;
  const ExportFormat& format_;
  std::unique_ptr<ReferenceOutputs> reference_;
  std::map<std::string, ExportCounts> counts_;
  std::map<std::string, int64_t> refusals_;
  std::set<std::string> written_;
};

// A file with an op that is refused while it is read, as it expects, has no program.
std::optional<Case> readCaseOf(const std::filesystem::path& file) {
  try {
    return parseCase(readFusionFile(file), file);
  } catch (const RefusedProgram& refused) {
    if (!refused.isExpected) throw;
    return std::nullopt;
  }
}

int exportOne(const ExportArguments& arguments, const Case& testCase) {
  const ExportFormat& format = exportFormat(arguments.format);
  const Exported exported = format.write(testCase);
  FUSER_USER_CHECK(!exported.refusal, format.name, " cannot say ", toString(*exported.refusal));
  if (arguments.out.empty()) {
    printText(exported.programs.front().text);
  } else {
    writeProgram(arguments.out, exported.programs.front());
  }
  return kExitClean;
}

int exportMany(const ExportArguments& arguments) {
  FUSER_USER_CHECK(!arguments.out.empty(), "several cases need a folder for their programs: --out DIR");
  FolderExport folder(arguments);
  for (const std::string& path : arguments.paths) {
    for (const std::filesystem::path& file : fusionFiles({path})) {
      const std::string set = file.parent_path().string();
      if (const std::optional<Case> testCase = readCaseOf(file)) {
        folder.add(set, file.stem().string(), *testCase);
      } else {
        folder.addUnread(set);
      }
    }
  }
  for (uint64_t number = 0; number < arguments.cases; ++number) {
    const GeneratorArguments& generator = arguments.generator;
    folder.add(concat("seed ", generator.seed), concat("seed_", generator.seed, "_case_", number),
               generateCase(generator.seed, number, generator.options));
  }
  if (arguments.combinations) {
    for (const Combination& combination : possibleCombinations()) {
      const std::string name = concat(combination[0], "_", combination[1], "_rank_", combination[2]);
      folder.add("one op each", name, parseCase(*fuzz::caseOf(combination), name));
    }
  }
  folder.finish();
  return kExitClean;
}

int exportCommand(ExportArguments& arguments) {
  arguments.generator.resolve();
  exportFormat(arguments.format);
  const std::vector<std::string>& paths = arguments.paths;
  const bool made = arguments.cases > 0 || arguments.combinations;
  FUSER_USER_CHECK(!paths.empty() || made,
                   "nothing to export: name a file, or a number of generated cases with --cases");
  if (paths == std::vector<std::string>{"-"}) {
    return exportOne(arguments, parseCase(readFusionText(std::cin), "<stdin>"));
  }
  const bool single = paths.size() == 1 && !made && !arguments.withReference &&
                      !std::filesystem::is_directory(paths[0]) && !std::filesystem::is_directory(arguments.out);
  if (single) return exportOne(arguments, parseCase(readFusionFile(paths[0]), paths[0]));
  return exportMany(arguments);
}

std::string formatHelp() {
  std::string help = "format of the programs: ";
  for (const ExportFormat& format : exportFormats()) {
    help += concat(help.back() == ' ' ? "" : ", ", format.name, " (", format.about, ")");
  }
  return help;
}

}  // namespace

Command addExportCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand("export", "write cases as programs of other frameworks, with their data");
  const auto arguments = std::make_shared<ExportArguments>();
  arguments->generator.seed = 1;
  arguments->generator.addTo(command);
  command->add_option("--to", arguments->format, formatHelp())->type_name("FORMAT")->capture_default_str();
  takesCount(command->add_option("--cases", arguments->cases, "number of generated cases, exported after the files"), 0)
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--out", arguments->out,
                   "the file of one case; the folder of several. Default for one: standard output")
      ->type_name("PATH");
  command->add_flag("--combinations", arguments->combinations,
                    "a case of each op on each dtype at each rank that it takes, after the others");
  command->add_flag("--with-reference", arguments->withReference,
                    "write LibTorch's results beside the programs of a folder: reference.json, reference.bin");
  command->add_option("paths", arguments->paths, "files and folders, or - for a case on standard input")
      ->type_name("PATH");
  command->footer(R"(
Examples
  fuserfuzz export corpus/seeds/softmax.fusion > softmax.py    a program that needs torch and numpy alone
  python softmax.py                                            dtype, shape, checksum, first elements of its outputs
  python softmax.py --compile                                  where torch.compile gives other bits
  fuserfuzz generate --case 17 | fuserfuzz export -            a random case
  fuserfuzz export --to=onnx corpus/seeds/softmax.fusion       the first run of a case as an ONNX model
  fuserfuzz export --to=stablehlo corpus/seeds/softmax.fusion   its first run as a StableHLO module
  fuserfuzz export corpus/seeds --cases 200 --out programs     many, and a table of what the format cannot say

An ONNX model and a StableHLO module have the sizes of one run. To a folder go those of all runs, NAME.run_0.onnx.txt,
NAME.run_1.onnx.txt, …, and beside each, in a file that ends with .bin, the elements of its inputs, one after another, dense and
row-major.

fuzz/compilers/setup torch makes an environment that runs PyTorch's scripts; setup onnx one that runs ONNX models; setup
stablehlo one that runs StableHLO modules.

Exit codes
  0 written   1 usage or set-up; one case that the format cannot say
)");
  return {command, [arguments](const LogPtr&) { return exportCommand(*arguments); }};
}

}  // namespace fuser::fuzz
