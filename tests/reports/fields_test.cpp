// Lists of fields, and what comes from them: JSON and sums.

#include "reports/fields.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "reports/campaign_summary.h"
#include "reports/fields_json.h"
#include "reports/fields_sum.h"
#include "tests/reports/arbitrary_fields.h"

namespace reports {
namespace {

struct Inner {
  int64_t count = 0;
  Largest<double> longestSeconds;
  bool operator==(const Inner&) const = default;
};
REPORTS_FIELDS(Inner, count, longestSeconds)

struct Outer {
  std::string lastName = "none";
  std::map<std::string, Inner> byName;
  std::set<std::string> all;
  std::array<int64_t, 2> pair{};
  bool operator==(const Outer&) const = default;
};
REPORTS_FIELDS(Outer, lastName, byName, all, pair)

static_assert(FieldKey("decidedToScale").text() == "decided_to_scale");
static_assert(isNumberOfFields<Inner, 2> && !isNumberOfFields<Inner, 1> && !isNumberOfFields<Inner, 3>);
static_assert(isNumberOfFields<Outer, 4> && !isNumberOfFields<Outer, 3> && !isNumberOfFields<Outer, 5>);

TEST(FieldsTest, KeysShareOneStyleAndDefaultValuesAreOmitted) {
  EXPECT_EQ(toJsonText(Outer()), "{}");
  Outer outer;
  outer.lastName = "";
  outer.byName["a b"].longestSeconds = 2.5;
  EXPECT_EQ(toJsonText(outer), R"({"by_name":{"a b":{"longest_seconds":2.5}},"last_name":""})");
  EXPECT_EQ(allFields<nlohmann::ordered_json>(Outer()).dump(),
            R"({"last_name":"none","by_name":{},"all":[],"pair":[0,0]})");
  EXPECT_EQ(keyFromWords("generator flags"), "generator_flags");
}

TEST(FieldsTest, ReadingReplacesEarlierContents) {
  Outer outer;
  outer.all = {"x"};
  nlohmann::json::parse(R"({"pair":[1,2]})").get_to(outer);
  EXPECT_TRUE(outer.all.empty());
  EXPECT_EQ(outer.pair, (std::array<int64_t, 2>{1, 2}));
  EXPECT_EQ(outer.lastName, "none");
}

TEST(FieldsTest, AnUnknownFieldIsRefusedByName) {
  const auto refusal = [](const char* text) -> std::string {
    try {
      fromJsonText<Outer>(text);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(R"({"last name": "x", "pair": [1, 2]})"), "there is no field 'last name'");
  EXPECT_EQ(refusal(R"({"by_name": {"a": {"counts": 1}}})"), "there is no field 'counts'");
  EXPECT_EQ(refusal("[]"), "fields are expected, not array");
  EXPECT_EQ(refusal("7"), "fields are expected, not number");
  EXPECT_EQ(refusal(R"({"pair": "x"})"), "a value is of another type than it should be");
  EXPECT_EQ(refusal("{"), "it is damaged, or ends too early, at byte 2");
  EXPECT_THROW(decode<Outer>("\xff"), std::invalid_argument);
}

TEST(FieldsTest, InvalidUtf8SurvivesAPipe) {
  Outer outer;
  outer.lastName = std::string("\xff\x00\xfe", 3);
  EXPECT_EQ(decode<Outer>(encode(outer)), outer);
  EXPECT_NO_THROW(fromJsonText<Outer>(toJsonText(outer)));
}

TEST(FieldsTest, EachFieldIsAddedByTheRuleOfItsType) {
  Outer sum, more;
  sum.byName = {{"a", {1, 5.0}}, {"b", {2, 1.0}}};
  sum.all = {"x"};
  sum.pair = {1, 2};
  more.lastName = "";
  more.byName = {{"b", {3, 4.0}}, {"c", {7, 0.5}}};
  more.all = {"y"};
  more.pair = {10, 20};
  addTo(sum, more);
  EXPECT_EQ(sum.lastName, "none");  // an empty text says nothing
  const std::map<std::string, Inner> byName = {{"a", {1, 5.0}}, {"b", {5, 4.0}}, {"c", {7, 0.5}}};
  EXPECT_EQ(sum.byName, byName);
  EXPECT_EQ(sum.all, (std::set<std::string>{"x", "y"}));
  EXPECT_EQ(sum.pair, (std::array<int64_t, 2>{11, 22}));
}

template <class T>
void checkFrame(const char* what) {
  EXPECT_TRUE(rc::check(what, [] {
    const T value = *arbitraryFields<T>();
    RC_ASSERT(decode<T>(encode(value)) == value);
  }));
}

TEST(FieldsTest, EverySumIsTheSameAfterThePipe) { checkFrame<Sums>("sums"); }
TEST(FieldsTest, EveryMinimizedFindingIsTheSameAfterThePipe) { checkFrame<MinimizedFinding>("minimised findings"); }

// All figures of Sums but seconds, whose sum is not exact.
TEST(FieldsTest, SumsDoNotDependOnTheOrder) {
  EXPECT_TRUE(rc::check("order", [] {
    Coverage a = *arbitraryFields<Coverage>(), b = *arbitraryFields<Coverage>();
    Coverage ab = a, ba = b;
    addTo(ab, b);
    addTo(ba, a);
    RC_ASSERT(ab == ba);
  }));
}

}  // namespace
}  // namespace reports
