// Assigns unique identifiers to the parts of a kernel.
#include "fuser/kernel/names.h"

#include <set>

namespace fuser {
namespace {

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

std::string identifierFrom(const std::string& name) {
  std::string identifier;
  for (char c : name) identifier += isLetter(c) || isDigit(c) ? c : '_';
  if (identifier.empty() || !isLetter(identifier[0])) identifier.insert(0, "_");
  return identifier;
}

// The name, with the smallest number appended that makes it unique, if necessary.
std::string distinct(const std::string& name, std::set<std::string>& taken) {
  const std::string base = identifierFrom(name);
  std::string candidate = base;
  for (int i = 1; !taken.insert(candidate).second; ++i) candidate = base + "_" + std::to_string(i);
  return candidate;
}

void nameSymbol(const Kernel& kernel, IntExpr symbol, std::set<std::string>& taken, KernelNames& names) {
  if (!symbol || !symbol->isSymbol()) return;
  names.symbols[static_cast<size_t>(symbol->value)] = distinct(kernel.ints->symbolOf(symbol).name, taken);
}

// `taken`: the names in scope where the body begins.
void nameBody(const Kernel& kernel, const Body& body, std::set<std::string> taken, KernelNames& names) {
  for (const Statement& statement : body) {
    if (const For* loop = std::get_if<For>(&statement.node)) {
      std::set<std::string> inside = taken;
      nameSymbol(kernel, loop->index, inside, names);
      nameBody(kernel, loop->body, std::move(inside), names);
    } else if (const If* branch = std::get_if<If>(&statement.node)) {
      nameBody(kernel, branch->body, taken, names);
    } else if (const LoadIndex* load = std::get_if<LoadIndex>(&statement.node)) {
      nameSymbol(kernel, load->index, taken, names);
    }
  }
}

}  // namespace

bool isIdentifier(const std::string& name) { return !name.empty() && identifierFrom(name) == name; }

KernelNames nameKernel(const Kernel& kernel) {
  KernelNames names;
  std::set<std::string> taken;
  for (const Buffer& buffer : kernel.buffers) names.buffers.push_back(distinct(buffer.name, taken));
  taken.clear();
  for (const ScalarParam& scalar : kernel.scalars) names.scalars.push_back(distinct(scalar.name, taken));
  taken.clear();
  for (const IntSymbol& symbol : kernel.ints->symbols()) names.symbols.push_back("?" + symbol.name);
  for (const IntParam& param : kernel.intParams) nameSymbol(kernel, param.symbol, taken, names);
  constexpr const char* kAxes[] = {"x", "y", "z"};
  for (size_t d = 0; d < 3; ++d) {
    const auto name = [&](IntExpr symbol, const char* what) {
      if (symbol && symbol->isSymbol()) names.symbols[static_cast<size_t>(symbol->value)] = concat(what, ".", kAxes[d]);
    };
    name(kernel.threadIdx[d], "threadIdx");
    name(kernel.blockIdx[d], "blockIdx");
  }
  nameBody(kernel, kernel.body, taken, names);
  return names;
}

}  // namespace fuser
