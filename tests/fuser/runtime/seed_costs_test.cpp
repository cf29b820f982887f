// What the kernels of each program in corpus/seeds cost, in the run with most elements: a change that only makes
// programs slower shows as a line here. The same numbers come out everywhere; but registers are those of one NVRTC, and
// its assembler takes most of the time: ctest asks it for the kernels of every sixteenth seed, check_kernel_resources
// for all.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>

#include "fuser/execute/nvrtc.h"
#include "fuser/runtime/case_cost.h"
#include "fuser/support/set_up_error.h"
#include "fuser/text/parser.h"
#include "tests/golden/golden_tests.h"
#include "tests/in_full.h"

namespace fuser {
namespace {

bool hasTheNvrtc(const std::string& wanted) {
  try {
    return Nvrtc().version() == wanted;
  } catch (const SetUpError&) {
    return false;
  }
}

std::vector<std::string> linesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// `made` with the registers of `expected`, line by line, where it has none and the rest of the line is the same.
std::string withRegistersOf(const std::string& expected, const std::string& made) {
  const std::vector<std::string> old = linesOf(expected);
  std::string text;
  size_t number = 0;
  for (const std::string& line : linesOf(made)) {
    const auto counts = [](const std::string& of) { return of.substr(0, of.find_last_not_of(' ', of.rfind(' ')) + 1); };
    const bool same = line.ends_with(" -") && number < old.size() && counts(old[number]) == counts(line);
    text += (same ? old[number] : line) + "\n";
    ++number;
  }
  return text;
}

const golden::Texts kSeedCosts("tests/fuser/runtime/seed_costs.txt", {"registers"},
                               [](const golden::Case& test) -> golden::Made {
                                 std::vector<std::filesystem::path> paths;
                                 for (const auto& entry : std::filesystem::directory_iterator(
                                          test.input.substr(0, test.input.find('\n')))) {
                                   if (entry.path().extension() == ".fusion") paths.push_back(entry.path());
                                 }
                                 std::sort(paths.begin(), paths.end());
                                 const bool all = inFull() || std::getenv("FUSER_UPDATE");
                                 const bool canAssemble = hasTheNvrtc(test.option("registers"));
                                 CostSettings settings;
                                 std::string text;
                                 size_t number = 0;
                                 for (const std::filesystem::path& path : paths) {
                                   settings.registers = canAssemble && (number++ % 16 == 1 || all);
                                   const Case testCase = parseCase(golden::readFile(path.string()), path.string());
                                   text += toTable(costOf(testCase, settings), path.stem().string());
                                 }
                                 if (test.expected.empty()) return text;
                                 return withRegistersOf(test.expected[0].text, text);
                               });

TEST(SeedCostsTest, RegistersThatAreNotKnownAreNotCompared) {
  const std::string old = "cost of a, run 0\n  k0    1   2   30\n  k1    1   2   31\n  total 2  traffic 1.00\n";
  EXPECT_EQ(withRegistersOf(old, "cost of a, run 0\n  k0    1   2    -\n  k1    1   3    -\n  total 2  traffic 1.00\n"),
            "cost of a, run 0\n  k0    1   2   30\n  k1    1   3    -\n  total 2  traffic 1.00\n");
  EXPECT_EQ(withRegistersOf("  k0    1   2   30\n", "  k0    1   2   31\n"), "  k0    1   2   31\n");
}

// The sectors of one kernel in the table: requested, per block, compulsory; and the latter two without those of
// weights, which several blocks need.
using Sectors = std::array<double, 5>;

// Seeds that multiply matrices: each tile of results reads its rows and its columns, and each single result where a
// product is too small for tiles. So they have bounds of their own.
const std::set<std::string> kProducts = {"attention_backward",  "attention_causal", "attention_mask_dropout",
                                         "graph_aggregation",   "kv_cache_index",   "linear_gelu_residual",
                                         "lora_linear",         "mamba_scan",       "quantized_linear_f8",
                                         "quantized_linear_i8", "rnn_cell",         "unfold_convolution"};
// Seeds that compare or scan elements with each other, which their blocks read again.
const std::set<std::string> kPairs = {"beam_search_step", "moe_gating", "nms_mask", "histogram"};

// Of the seeds in these sets alone, or of all others.
std::vector<Sectors> kernelsInTable(bool ofProducts) {
  std::vector<Sectors> kernels;
  std::string seed;
  for (const std::string& line : linesOf(golden::readFile("tests/fuser/runtime/seed_costs.txt"))) {
    if (line.rfind("cost of ", 0) == 0) seed = line.substr(8, line.find(',') - 8);
    if ((kProducts.count(seed) != 0 || kPairs.count(seed) != 0) != ofProducts) continue;
    std::istringstream in(line);
    std::string name;
    int64_t launches = 0, blocks = 0, threads = 0, shared = 0;
    Sectors sectors{};
    const bool isKernel = (in >> name) && name.size() > 1 && name[0] == 'k' && std::isdigit(name[1]) != 0;
    double conflicts = 0, barriers = 0, ofWeights = 0, ofWeightsOnce = 0;
    if (!isKernel || !(in >> launches >> blocks >> threads >> shared >> sectors[0] >> sectors[1] >> sectors[2] >>
                       conflicts >> barriers >> ofWeights >> ofWeightsOnce))
      continue;
    sectors[3] = sectors[1] - ofWeights;
    sectors[4] = sectors[2] - ofWeightsOnce;
    kernels.push_back(sectors);
  }
  return kernels;
}

// Of all kernels of seeds, in the geometric mean.
double meanRatio(const std::vector<Sectors>& kernels, size_t of, size_t by) {
  double sum = 0;
  size_t count = 0;
  for (const Sectors& sectors : kernels) {
    if (sectors[of] <= 0 || sectors[by] <= 0) continue;
    sum += std::log(sectors[of] / sectors[by]);
    ++count;
  }
  return std::exp(sum / static_cast<double>(count));
}

TEST(SeedCostsTest, WarpsAndBlocksAskForLittleMoreThanTheyMust) {
  const std::vector<Sectors> kernels = kernelsInTable(false);
  EXPECT_GT(kernels.size(), 100u);
  const std::vector<Sectors> products = kernelsInTable(true);
  const double requestedByProducts = meanRatio(products, 0, 1), perBlockOfProducts = meanRatio(products, 3, 4);
  std::printf("of products and pairs: requested / per block %.3f, per block / compulsory %.3f\n", requestedByProducts,
              perBlockOfProducts);
  const double requested = meanRatio(kernels, 0, 1), perBlock = meanRatio(kernels, 3, 4);
  std::printf("requested / per block %.3f, per block / compulsory %.3f, weights included %.3f\n", requested, perBlock,
              meanRatio(kernels, 1, 2));
  EXPECT_LE(requested, 1.25);
  EXPECT_LE(perBlock, 1.10);
  EXPECT_LE(requestedByProducts, 1.70);
  EXPECT_LE(perBlockOfProducts, 1.50);
}

}  // namespace
}  // namespace fuser
