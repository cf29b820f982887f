#pragma once
// The lists (*.def) whose lines name files: passes, schedulers, mutations and so on.

#include <string>
#include <string_view>
#include <vector>

namespace architecture {

// PASS(DeadCodePass, "Removes dead code", "dead_code.cpp", …)
struct Row {
  size_t line;       // from 1
  std::string name;  // DeadCodePass
  std::string file;  // from the repository root
};
// The rows of a list that name a file: one in the list's folder, or, with a slash, from the root.
std::vector<Row> rowsWithFiles(const std::string& listPath, std::string_view text);

}  // namespace architecture
