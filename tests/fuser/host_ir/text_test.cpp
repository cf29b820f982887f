// Host programs as they are read and printed. The input of a case (tests/golden/golden_file.h) is a fusion and a host
// program over it; the answer is the program's text.

#include <gtest/gtest.h>

#include "fuser/host_ir/host_ir_container.h"
#include "fuser/text/parser.h"
#include "tests/golden/golden_tests.h"

namespace fuser {
namespace {

const golden::Texts kTexts("tests/fuser/host_ir/read.txt", {}, [](const golden::Case& test) {
  const size_t host = test.input.find("\nhost ");
  FUSER_CHECK(host != std::string::npos, "the case has no host program");
  const std::unique_ptr<Fusion> fusion = parseFusion(test.input.substr(0, host + 1));
  const HostIrContainer program = parseHostIr(test.input.substr(host + 1), *fusion, {});
  verifyHostIr(program);
  const std::string text = toString(program);
  EXPECT_EQ(toString(parseHostIr(text, *fusion, {})), text) << "where the tensors are there already";
  return text;
});

}  // namespace
}  // namespace fuser
