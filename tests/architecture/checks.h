#pragma once
// The rules of the tree, one function each. Every message starts with the place and says what to change.

#include <string>
#include <vector>

#include "tests/architecture/tree.h"

namespace architecture {

using Messages = std::vector<std::string>;

// A file includes only what its folder declares to use, or what that uses in turn. Includes start at the repository
// root. Tests may include anything.
Messages checkIncludes(const Repository&);

// Every edge that a folder declares is taken by an #include in a file of that folder itself: what others need through
// it they declare themselves.
Messages checkEdgesAreUsed(const Repository&);

// No folder uses itself, however indirectly.
Messages checkCycles(const Repository&);

// Every .cpp lies in a folder that CMake builds.
Messages checkEverythingIsBuilt(const Repository&);

// Where the files of a list (*.def) lie, each .cpp has its line, or a header says what is in it: one of its own name,
// or one of its folder that names it. The file that a line names has the line's name in its code.
Messages checkLists(const Repository&);

// LibTorch is the oracle's alone.
Messages checkLibTorch(const Repository&);

// The reference sees op names only: a row's text must not be able to agree with itself.
Messages checkReferenceSeesOpNamesOnly(const Repository&);

// The oracle sees what defines the language of fusions and a run's record, its reference the language alone: whatever
// they link in turn counts. So the judge can share nothing with the compiler that it judges.
Messages checkOracleLinksNoCompiler(const Repository&);

// Names that say nothing: util, helper, common, misc, manager; of files, folders and classes.
Messages checkNames(const Repository&);

Messages checkTopLevel(const Repository&);

// Each target check(…) of CMakeLists.txt has a row in tests/README.md, which says how long it takes.
Messages checkLongTestsAreListed(const Repository&);

Messages checkNoFriend(const Repository&);

// A handler of UserError begins with rethrowOfSurroundings(error), or throws on: a SetUpError is one, and no verdict,
// rejection or mutant may come of it.
Messages checkSurroundings(const Repository&);

// At most 600 lines a file.
Messages checkLength(const Repository&);

// At most 120 columns a line, where it can be wrapped: not in a raw string, nor a row of a .def file.
Messages checkColumns(const Repository&);

// A citation of a document, in any file, leads to a section that is there; a file that a document names is there
// (citations.cpp).
Messages checkCitations(const Repository&);

// Expected texts of several lines stand in golden files: no argument of EXPECT_EQ, ASSERT_EQ or their STREQ is such a
// literal, raw or joined, nor the name of one, unless what it is compared with is made of that text (a round trip).
Messages checkExpectedTexts(const Repository&);

Messages checkAll(const Repository&);

}  // namespace architecture
