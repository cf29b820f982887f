// Lists of fields, and what comes from them: JSON, bytes and sums.

#include "reports/fields.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "reports/campaign_summary.h"
#include "reports/fields_bytes.h"
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
}

// A byte a value, and nothing of a field that is as in a new struct.
TEST(FieldsTest, BytesNameNoField) {
  EXPECT_EQ(encode(Outer()), std::string(1, '\0'));
  Outer outer;
  outer.lastName = "ab";
  outer.byName["k"].count = -3;
  outer.pair = {64, 0};
  EXPECT_EQ(encode(outer), std::string("\1\2ab"         // field 1: two bytes
                                       "\2\1\1k\1\5\0"  // field 2: one item, its key, and of it field 1
                                       "\4\x80\1\0"     // field 4
                                       "\0",
                                       16));
}

TEST(FieldsTest, BytesOfNoStructAreRefused) {
  const auto refusal = [](std::string_view bytes) -> std::string {
    try {
      decode<Outer>(bytes);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  using namespace std::string_view_literals;
  EXPECT_EQ(refusal(""), "the bytes end too early");
  EXPECT_EQ(refusal("\1\2a"), "the bytes end too early");
  EXPECT_EQ(refusal("\3\xff\xff\xff\xff\x0f"), "the bytes end too early");  // a set of 2^32 - 1 strings
  EXPECT_EQ(refusal("\5\0"sv), "there is no field 5 behind those before it");
  EXPECT_EQ(refusal("\3\0\1\0\0"sv), "there is no field 1 behind those before it");
  EXPECT_EQ(refusal("\0\0"sv), "bytes are left over");
  EXPECT_EQ(refusal("\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"), "a number has too many bits");
  EXPECT_EQ(refusal("\1\x80\x80\x80\x80\x80\x80\x80\x80\x80\2"), "a number has too many bits");
}

TEST(FieldsTest, ANumberThatDoesNotFitIsRefused) {
  EXPECT_EQ(decode<int32_t>(encode(int64_t{-5})), -5);
  EXPECT_THROW(decode<int32_t>(encode(int64_t{1} << 40)), std::invalid_argument);
  EXPECT_THROW(decode<bool>("\2"), std::invalid_argument);
  EXPECT_EQ(decode<int64_t>(encode(INT64_MIN)), INT64_MIN);
  EXPECT_EQ(decode<uint64_t>(encode(UINT64_MAX)), UINT64_MAX);
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
