// Each kind of citation once where it leads somewhere, and once where it leads nowhere. Those that are wrong are put
// together here, so that the check of this very tree does not see them.

#include <gtest/gtest.h>

#include "tests/architecture/checks.h"

namespace architecture {
namespace {

const std::string kRules =
    "# The rules\n\n## 1. Rounding: once\n\n## Sums\n\n```\n# no heading\n```\n\n## Sums\n\n### `set` and _view_\n";

std::string document(const std::string& name) { return name + ".md"; }
std::string section(const std::string& name, const std::string& anchor) { return document(name) + "#" + anchor; }

// The messages about one file in a tree with a document.
Messages citing(const std::string& path, const std::string& text) {
  return checkCitations({{{document("oracle/RULES"), kRules}, {"oracle/a.h", ""}, {path, text}}, {}});
}

TEST(Citations, OfASectionByPathAndAnchor) {
  for (const char* anchor : {"the-rules", "1-rounding-once", "sums", "sums-1", "set-and-_view_"}) {
    const std::string cited = section("oracle/RULES", anchor);
    EXPECT_EQ(citing("fuser/a.h", "// See " + cited + ".\n"), Messages());
    EXPECT_EQ(citing("fuser/a.def", "//   rule   " + cited + ": Add | Mul\n"), Messages());
    EXPECT_EQ(citing("tests/a", "#!/bin/sh\n# (" + cited + ")\n"), Messages());
    EXPECT_EQ(citing("fuser/" + document("A"), "as `" + cited + "` says\n"), Messages());
  }
}

TEST(Citations, OfASectionThatIsNotThere) {
  for (const char* anchor : {"2-rounding", "sums-2", "no-heading", "1.-rounding:-once"}) {
    EXPECT_EQ(citing("fuser/a.h", "\n// See " + section("oracle/RULES", anchor) + "\n").size(), 1u) << anchor;
  }
  EXPECT_EQ(citing("fuser/a.cuh", "\n// See " + section("oracle/RULES", "gone") + " too\n"),
            (Messages{"fuser/a.cuh:2: cites " + section("oracle/RULES", "gone") + ", but " + document("oracle/RULES") +
                      " has no such section"}));
}

TEST(Citations, OfADocumentThatIsNotThere) {
  EXPECT_EQ(citing("fuser/a.h", "// (" + document("RULES") + ")\n"),
            (Messages{"fuser/a.h:1: cites " + document("RULES") + ", but there is no " + document("RULES")}));
  EXPECT_EQ(citing("tests/a", "# " + section("docs/RULES", "sums") + "\n").size(), 1u);
  EXPECT_EQ(citing("fuser/a.h", "// (" + document("oracle/RULES") + ")\n"), Messages());
}

TEST(Citations, PathsMadeAtRunTimeAreNone) {
  EXPECT_EQ(citing("tests/a", "report=$out/$engine-$" + document("name") + "\n"), Messages());
  EXPECT_EQ(citing("tests/a.cpp", "std::ifstream in(out + \"/" + document("report") + "\");\n"), Messages());
}

TEST(Citations, LinksAreRelative) {
  const std::string from = document("fuser/A");
  EXPECT_EQ(citing(from, "# A\n\n[a](../" + document("oracle/RULES") + "), [b](../oracle), [c](../oracle/a.h), " +
                             "[" + document("RULES") + "](../" + section("oracle/RULES", "sums") +
                             "), [e](#a), [f](https://a.org/b#c)\n"),
            Messages());
  EXPECT_EQ(citing(from, "[a](" + document("oracle/RULES") + ")\n"),
            (Messages{from + ":1: cites " + document("oracle/RULES") + ", but there is no " +
                      document("fuser/oracle/RULES")}));
  EXPECT_EQ(citing(from, "[a](../oracle/b.h)\n").size(), 1u);
  EXPECT_EQ(citing(from, "[a](../" + section("oracle/RULES", "gone") + ")\n").size(), 1u);
  EXPECT_EQ(citing(from, "# A\n\n[a](#b)\n").size(), 1u);
}

TEST(Citations, FilesThatADocumentNamesAsCode) {
  const std::string from = document("fuser/A");
  EXPECT_EQ(citing(from, "`oracle/a.h`, `oracle`, `oracle/`, `a/b.h`, `b.h`, `oracle/<name>.h`, `oracle/a.h x`\n"),
            Messages());
  EXPECT_EQ(citing(from, "`oracle/b.h`\n"), (Messages{from + ":1: cites oracle/b.h, but there is no oracle/b.h"}));
  EXPECT_EQ(citing(from, "`oracle/gone/`\n").size(), 1u);
  EXPECT_EQ(citing("fuser/a.h", "// `oracle/b.h`\n"), Messages());
}

TEST(Citations, WhatStandsAsCodeIsNoLink) {
  EXPECT_EQ(citing(document("fuser/A"), "`[](x)` takes\n\n```\nf([](y) {});\n```\n"), Messages());
}

TEST(Citations, ByTheNumberOfASection) {
  const auto says = [](const std::string& place, const std::string& text) {
    return Messages{place + ": says \"" + text +
                    "\"; cite a section by path and anchor, as oracle/ORACLE.md#5-reductions does"};
  };
  const std::string numbered = " section 4";
  EXPECT_EQ(citing("fuser/a.h", "// (RULES" + numbered + ")\n"), says("fuser/a.h:1", "RULES" + numbered));
  EXPECT_EQ(citing("fuser/a.h", "// It is RULES\n//" + numbered + ".\n"), says("fuser/a.h:1", "RULES" + numbered));
  EXPECT_EQ(citing("fuser/a.h", "// RULES, sections 1 to 4\n"), says("fuser/a.h:1", "RULES, sections 1"));
  EXPECT_EQ(citing("CMakeLists.txt", "#\n# Tests (RULES" + numbered + ")\n"),
            says("CMakeLists.txt:2", "RULES" + numbered));
  EXPECT_EQ(citing("fuser/a.h", "// IEEE 754 section 4; the rules' section 4\n"), Messages());
}

}  // namespace
}  // namespace architecture
