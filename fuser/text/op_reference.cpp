// | slice | one tensor | dim = integer, [start = bound] (0), [end = bound] (size), [step = bound] (1) |

#include "fuser/text/op_reference.h"

#include <algorithm>
#include <vector>

#include "fuser/ops/op_table.h"
#include "fuser/text/complex_values.h"
#include "fuser/text/expansions.h"

namespace fuser {
namespace {

std::string optional(const std::string& attribute, std::string_view ifAbsent) {
  return concat("[", attribute, "] (", ifAbsent, ")");
}

std::string valueOf(const FamilyAttribute& attribute) {
  if (attribute.takesAny) return " = operand or tensor";
  switch (attribute.kind) {
    case AttributeKind::Axis:
    case AttributeKind::Number: return " = integer";
    case AttributeKind::Axes: return attribute.ofResult ? " = [integer, …], places in the result" : " = [integer, …]";
    case AttributeKind::Extents: return attribute.open ? " = [dim or -1, …]" : " = [dim, …]";
    case AttributeKind::Extent: return " = dim";
    case AttributeKind::Counts: return " = [dim, …]";
    case AttributeKind::Bounds: return " = [bound, …]";
    case AttributeKind::Bound: return " = bound";
    case AttributeKind::Dtype: return "";
    case AttributeKind::Mark:
    case AttributeKind::Flag: return " = true \\| false";
    case AttributeKind::Word: return " = name";
    case AttributeKind::Operand: return " = operand";
  }
  FUSER_CHECK(false, "bad AttributeKind");
}

// "rounding_mode = trunc", "rounding_mode = floor" -> "[rounding_mode = trunc \| floor]"; "" when the mnemonic has only
// one row.
std::string variantsOf(std::string_view mnemonic) {
  std::string text;
  for (OpKind op : kAllOps) {
    const std::string_view variant = opInfo(op).variant;
    if (opInfo(op).mnemonic != mnemonic || variant.empty()) continue;
    text += text.empty() ? concat(variant) : concat(" \\| ", variant.substr(variant.find(" = ") + 3));
  }
  return text.empty() ? "" : concat("[", text, "]");
}

std::string attributesOf(const std::vector<FamilyAttribute>& attributes, std::string text) {
  for (const FamilyAttribute& attribute : attributes) {
    const std::string written = concat(attribute.text(), valueOf(attribute));
    text += concat(text.empty() ? "" : ", ", attribute.ifAbsent ? optional(written, *attribute.ifAbsent) : written);
  }
  return text.empty() ? "none" : text;
}

std::string attributesOf(const OpInfo& info) {
  std::string text = variantsOf(info.mnemonic);
  for (const NamedOperand& named : namedOperands(info.kind)) {
    const std::string attribute = concat(named.name, " = operand");
    const std::string written = named.ifAbsent ? optional(attribute, named.ifAbsent->toString()) : attribute;
    text += concat(text.empty() ? "" : ", ", written);
  }
  std::vector<FamilyAttribute> taken;
  for (const FamilyAttribute& attribute : familyAttributes(info.family)) {
    if (takesAttribute(info.kind, attribute)) taken.push_back(attribute);
  }
  return attributesOf(taken, std::move(text));
}

std::string operandText(const OpInfo& info) {
  const size_t named = namedOperands(info.kind).size();
  switch (familyInfo(info.family).operands) {
    case FamilyOperands::None: return "none";
    case FamilyOperands::One: return "one";
    case FamilyOperands::Two: return named == 1 ? "one" : "two";
    case FamilyOperands::Three: return named == 2 ? "one" : "three";
    case FamilyOperands::Tensor: return info.family == Family::Item ? "one tensor on the host" : "one tensor";
    case FamilyOperands::Tensors: return "one tensor or more";
    case FamilyOperands::Into:
      return info.family == Family::Update ? "a statement: update %target = %source" : "two tensors";
    case FamilyOperands::Indexed: return "a tensor, and one of indices";
    case FamilyOperands::Pair: return "two tensors of one dtype and equal sizes";
    case FamilyOperands::Scattered: return "a tensor, one of indices, and one of elements";
  }
  FUSER_CHECK(false, "bad FamilyOperands");
}

// The reference escapes '|' for Markdown.
std::string plain(std::string text) {
  for (size_t at; (at = text.find("\\|")) != text.npos;) text.erase(at, 1);
  return text;
}

// As the rows of that name say together.
std::string dtypesOf(std::string_view mnemonic) {
  std::string text;
  for (DataType dtype : kAllDataTypes) {
    const bool accepted = std::any_of(std::begin(kAllOps), std::end(kAllOps), [&](OpKind op) {
      return opInfo(op).mnemonic == mnemonic && acceptsDtype(op, dtype);
    });
    if (accepted) text += concat(text.empty() ? "" : " ", dtype);
  }
  return text;
}

// The first row of each name, in the order of the table.
std::vector<const OpInfo*> namedRows() {
  std::vector<const OpInfo*> rows;
  for (OpKind op : kAllOps) {
    const OpInfo& info = opInfo(op);
    const bool seen =
        std::any_of(rows.begin(), rows.end(), [&](const OpInfo* row) { return row->mnemonic == info.mnemonic; });
    if (!seen) rows.push_back(&info);
  }
  return rows;
}

}  // namespace

std::string opList() {
  size_t width = 0;
  for (const OpInfo* info : namedRows()) width = std::max(width, info->mnemonic.size());
  for (std::string_view name : text::expansionNames()) width = std::max(width, name.size());
  std::string text;
  for (const OpInfo* info : namedRows()) {
    text +=
        concat(info->mnemonic, std::string(width + 2 - info->mnemonic.size(), ' '), "operands: ", operandText(*info),
               "; attributes: ", plain(attributesOf(*info)), "; dtypes: ", dtypesOf(info->mnemonic), "\n");
  }
  text += "\nNames, and attributes of ops, that are made of other ops:\n";
  for (const text::Expansion* each : text::allExpansions()) {
    const std::string attributes = attributesOf(readAttributes(each->attributes), "");
    text += concat(each->name, std::string(width + 2 - each->name.size(), ' '),
                   "operands: ", operandText(opInfo(each->operands)), "; attributes: ", plain(attributes),
                   each->second ? "; 2 results\n" : "\n");
  }
  text += "\nNames of complex values alone (fuser/text/grammar.md has those that take complex operands, too):\n";
  for (std::string_view name : text::namesOfComplexAlone()) {
    const bool isOfTwo = name == "complex" || name == "polar";
    text += concat(name, std::string(width + 2 - name.size(), ' '),
                   "operands: ", isOfTwo ? "two tensors" : "one tensor", "; attributes: none\n");
  }
  return text;
}

std::string opReference() {
  struct Line {
    std::string ops;
    std::string rest;
  };
  std::vector<Line> lines;
  for (const OpInfo* row : namedRows()) {
    const OpInfo& info = *row;
    const std::string results = info.results == 1 ? "" : concat(" (", info.results, " results)");
    const std::string rest = concat(" | ", operandText(info), " | ", attributesOf(info), " |\n");
    const auto same = std::find_if(lines.begin(), lines.end(), [&](const Line& line) { return line.rest == rest; });
    if (same == lines.end()) {
      lines.push_back({concat(info.mnemonic, results), rest});
    } else {
      same->ops += concat(", ", info.mnemonic, results);
    }
  }
  std::string text = "| ops | operands in parentheses | attributes |\n|---|---|---|\n";
  for (const Line& line : lines) text += concat("| ", line.ops, line.rest);
  return text;
}

}  // namespace fuser
