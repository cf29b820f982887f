#pragma once
// The rules of the repository, one function each. Every message starts with a position and says what to change.

#include <string>
#include <vector>

#include "tests/architecture/tree.h"

namespace architecture {

using Messages = std::vector<std::string>;

// A file includes only headers of the folders that its folder uses, directly or indirectly. Includes start at the
// repository root. Tests may include anything.
Messages checkIncludes(const Repository&);

// A folder declares only folders that its own files include. Folders that need more declare it themselves.
Messages checkEdgesAreUsed(const Repository&);

// No folder uses itself, not even indirectly.
Messages checkCycles(const Repository&);

// CMake builds the folder of every .cpp.
Messages checkEverythingIsBuilt(const Repository&);

// In a folder with the files of a list (*.def), each .cpp has a line in the list, a header of the same name, or a
// header in the folder that names it. The file that a line names contains the line's name.
Messages checkLists(const Repository&);

// Only the oracle uses LibTorch.
Messages checkLibTorch(const Repository&);

// The reference sees only op names, so that a wrong row of the op table cannot agree with itself.
Messages checkReferenceSeesOpNamesOnly(const Repository&);

// The oracle links only the definition of the fusion language and the run record, its reference only the language;
// indirect links count. So the judge shares no code with the compiler that it judges.
Messages checkOracleLinksNoCompiler(const Repository&);

// Names that say nothing: util, helper, common, misc, manager; of files, folders and classes.
Messages checkNames(const Repository&);

Messages checkTopLevel(const Repository&);

// Each target check(…) of CMakeLists.txt has a row in tests/README.md, which says how long it takes.
Messages checkLongTestsAreListed(const Repository&);

Messages checkNoFriend(const Repository&);

// A handler of UserError begins with rethrowIfSetUpError(error), or throws on: a SetUpError is one, and no verdict,
// rejection or mutant may come of it.
Messages checkSetUpErrorHandlers(const Repository&);

// At most 600 lines per file.
Messages checkLength(const Repository&);

// At most 120 columns per line, except in raw strings and rows of .def files, which cannot be wrapped.
Messages checkColumns(const Repository&);

// Constants and types of anonymous namespaces have names of their own among the sources of a folder, outside of tests:
// a release build compiles more of them together than a build for tests does.
Messages checkOwnNames(const Repository&);

// Every citation of a document refers to an existing section, and every file that a document names exists
// (citations.cpp).
Messages checkCitations(const Repository&);

// Expected texts of several lines are in golden files: no argument of EXPECT_EQ, ASSERT_EQ or their STREQ is such a
// literal, raw or joined, or the name of one, unless the other argument is derived from that text (a round trip).
Messages checkExpectedTexts(const Repository&);

Messages checkAll(const Repository&);

}  // namespace architecture
