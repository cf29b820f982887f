// fuserfuzz estimate: its page, its line, and what it says of programs that it leaves out.

#include <fstream>
#include <sstream>

#include "tests/fuzz/cli/program.h"

namespace {

using EstimateCommandTest = FuserfuzzTest;

std::string contents(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

TEST_F(EstimateCommandTest, WritesAPageOfKernels) {
  std::ofstream(folder_ / "copy.fusion") << "fusion f(%x: f32[i0]) { %y = neg(%x) return %y }\n"
                                            "run { %x = normal(seed = 1) : f32[1048576] }\n";
  std::ofstream(folder_ / "no-run.fusion") << "fusion f(%x: f32[i0]) { %y = neg(%x) return %y }\n";
  const std::string page = (folder_ / "a <b>.html").string();
  const Outcome outcome = fuserfuzz("estimate " + folder_.string() + " --out '" + page + "'");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.text;
  EXPECT_NE(outcome.text.find("1 program, 1 kernel: 1.7 us on h200, estimated; 1 left out; "), std::string::npos)
      << outcome.text;
  const std::string text = contents(page);
  for (const char* part : {"What a GPU would do", "No GPU ran.", "k0_pointwise", "8,388,608", "1.748",
                           "Heaviest kernels", "no-run: cost: the case has no run that is not rejected"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
}

TEST_F(EstimateCommandTest, SaysWhatIsWrong) {
  std::ofstream(folder_ / "no-run.fusion") << "fusion f(%x: f32[i0]) { %y = neg(%x) return %y }\n";
  const Outcome none = fuserfuzz("estimate " + folder_.string() + " --out " + (folder_ / "page.html").string());
  EXPECT_EQ(none.exitCode, 1);
  EXPECT_NE(none.text.find("there is no program to estimate; no-run: "), std::string::npos) << none.text;
  const Outcome device = fuserfuzz("estimate corpus/seeds --device h2000");
  EXPECT_EQ(device.exitCode, 1);
  EXPECT_NE(device.text.find("no device has the name 'h2000'; known are h200, a100, rtx4090, tiny"), std::string::npos)
      << device.text;
}

}  // namespace
