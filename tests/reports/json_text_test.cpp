// JSON that cannot be read: where, and in our words.

#include "reports/json_text.h"

#include <gtest/gtest.h>

#include "fuser/support/check.h"

namespace reports {
namespace {

std::string refusal(const std::string& text) {
  try {
    parseJson(text, "a.json");
  } catch (const fuser::UserError& error) {
    return error.what();
  }
  return "";
}

TEST(JsonTextTest, InvalidJsonIsReportedWithItsPosition) {
  EXPECT_EQ(refusal("[1, {\"a\": 2}]"), "");
  EXPECT_EQ(refusal(""), "a.json, line 1, column 1: is not JSON: it is empty");
  EXPECT_EQ(refusal("{\n  \"a\": 1,\n  }\n"), "a.json, line 3, column 3: is not JSON: unexpected '}'");
  EXPECT_EQ(refusal("[1, 2"), "a.json, line 1, column 6: is not JSON: it ends too early");
  EXPECT_EQ(refusal("[\"\xc0\"]"), "a.json, line 1, column 3: is not JSON: unexpected byte 0xc0");
  EXPECT_EQ(refusal(std::string("[\0]", 3)), "a.json, line 1, column 2: is not JSON: unexpected byte 0x00");
  EXPECT_EQ(refusal("[1e999]"), "a.json: is not JSON that can be read: a number is too large");
}

TEST(JsonTextTest, AMissingFieldIsNamed) {
  const auto words = [](const char* text) -> std::string {
    const nlohmann::json value = parseJson(text, "a.json");
    try {
      return value.at("bucket").get<std::string>();
    } catch (const nlohmann::json::exception& error) {
      return inOurWords(error);
    }
  };
  EXPECT_EQ(words(R"({"bucket": "x"})"), "x");
  EXPECT_EQ(words("{}"), "it has no field 'bucket'");
  EXPECT_EQ(words(R"({"bucket": 7})"), "a value is of another type than it should be");
  EXPECT_EQ(words("[]"), "a value is of another type than it should be");
}

}  // namespace
}  // namespace reports
