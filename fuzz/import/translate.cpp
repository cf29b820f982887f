// The rows of import.def, and the rule for operators that need none.

#include "fuzz/import/translate.h"

#include <algorithm>

#include "fuser/ops/op_table.h"
#include "fuzz/import/structural.h"

namespace fuser::fuzz {
namespace {

struct Named {
  std::string_view aten, mnemonic;
};
constexpr Named kNamed[] = {
#define NAMED(aten, mnemonic) {aten, mnemonic},
#define ARGUMENT(...)
#define ABSENT(...)
#define WRITTEN(...)
#include "fuzz/import/import.def"
#undef NAMED
#undef ARGUMENT
#undef ABSENT
#undef WRITTEN
};

struct ArgumentRow {
  std::string_view aten, attribute;
};
constexpr ArgumentRow kArguments[] = {
#define NAMED(...)
#define ARGUMENT(aten, attribute) {aten, attribute},
#define ABSENT(...)
#define WRITTEN(...)
#include "fuzz/import/import.def"
#undef NAMED
#undef ARGUMENT
#undef ABSENT
#undef WRITTEN
};

struct Absent {
  std::string_view mnemonic, attribute, text;
};
constexpr Absent kAbsent[] = {
#define NAMED(...)
#define ARGUMENT(...)
#define ABSENT(mnemonic, attribute, text) {mnemonic, attribute, text},
#define WRITTEN(...)
#include "fuzz/import/import.def"
#undef NAMED
#undef ARGUMENT
#undef ABSENT
#undef WRITTEN
};

struct Written {
  std::string_view aten;
  void (*write)(NodeWriter&);
};
constexpr Written kWritten[] = {
#define NAMED(...)
#define ARGUMENT(...)
#define ABSENT(...)
#define WRITTEN(aten, name) {aten, &structural::name},
#include "fuzz/import/import.def"
#undef NAMED
#undef ARGUMENT
#undef ABSENT
#undef WRITTEN
};

// The row of an operator's overload, or that of all its overloads; null: none.
template <class Row, size_t n>
const Row* rowOf(const Row (&rows)[n], const AtenName& name) {
  for (const std::string& text : {name.full, name.packet}) {
    const auto row = std::find_if(std::begin(rows), std::end(rows), [&](const Row& each) { return each.aten == text; });
    if (row != std::end(rows)) return row;
  }
  return nullptr;
}

// Writes the arguments of one node for the rows of the op table that have one mnemonic.
class CallWriter {
 public:
  CallWriter(NodeWriter& node, const std::string& mnemonic) : node_(node), mnemonic_(mnemonic) {
    for (OpKind op : kAllOps) {
      if (opInfo(op).mnemonic == mnemonic) rows_.push_back(&opInfo(op));
    }
  }

  void write() {
    if (rows_.empty()) return writeExpansion(node_, mnemonic_);
    const Family family = rows_[0]->family;
    size_t most = operandsInParentheses(family).most;
    if (most != kAnyNumber) most -= namedOperands(rows_[0]->kind).size();
    size_t position = 0;
    for (const auto& [name, value] : node_.node().arguments.items()) {
      if (value.is_null()) continue;
      if (most == kAnyNumber && position == 0) {
        ++position;
        for (const Arguments& entry : value) operands_ += concat(operands_.empty() ? "" : ", ", node_.operandOf(entry));
      } else if (position < most && most != kAnyNumber) {
        if (value.is_array()) node_.refuse("argument '", name, "' is a list");
        operands_ += concat(position++ == 0 ? "" : ", ", node_.operandOf(value));
      } else {
        addAttribute(name, value);
      }
    }
    addAbsent();
    std::string attributes;
    for (const auto& [key, text] : attributes_)
      attributes += concat(attributes.empty() ? " {" : ", ", key, " = ", text);
    std::string results;
    for (size_t i = 0; i < rows_[0]->results; ++i) results += concat(i ? ", " : "", node_.resultName(i));
    node_.line(concat(results, " = ", mnemonic_, "(", operands_, ")", attributes, attributes.empty() ? "" : "}"));
  }

 private:
  void addAttribute(const std::string& name, const Arguments& value) {
    for (const NamedOperand& named : namedOperands(rows_[0]->kind)) {
      if (named.name == name) return add(name, node_.operandOf(value));
    }
    if (const FamilyAttribute* attribute = attributeFor(familyAttributes(rows_[0]->family), name)) {
      if (const std::optional<std::string> text = attributeValue(node_, *attribute, value))
        add(attribute->text(), *text);
      return;
    }
    const auto isVariant = [&](const OpInfo* row) {
      return value.is_string() && row->variant == concat(name, " = ", value.get<std::string>());
    };
    if (std::any_of(rows_.begin(), rows_.end(), isVariant)) return add(name, value.get<std::string>());
    node_.refuse("argument '", name, "' has no place");
  }

  // What the text requires, and PyTorch does not.
  void addAbsent() {
    const auto isGiven = [&](std::string_view name) {
      return std::any_of(attributes_.begin(), attributes_.end(), [&](const auto& each) { return each.first == name; });
    };
    for (const FamilyAttribute& attribute : familyAttributes(rows_[0]->family)) {
      if (attribute.ifAbsent || isGiven(attribute.text())) continue;
      for (const Absent& row : kAbsent) {
        if (row.mnemonic == mnemonic_ && row.attribute == attribute.text())
          add(attribute.text(), std::string(row.text));
      }
      if (attribute.kind == AttributeKind::Dtype) add(attribute.text(), concat(node_.result().dtype));
    }
  }

  void add(std::string_view key, std::string text) { attributes_.emplace_back(key, std::move(text)); }

  NodeWriter& node_;
  const std::string& mnemonic_;
  std::vector<const OpInfo*> rows_;
  std::string operands_;
  std::vector<std::pair<std::string, std::string>> attributes_;
};

}  // namespace

const FamilyAttribute* attributeFor(const std::vector<FamilyAttribute>& attributes, std::string_view argument) {
  const auto named = [&](std::string_view text) {
    const auto found = std::find_if(attributes.begin(), attributes.end(),
                                    [&](const FamilyAttribute& attribute) { return attribute.text() == text; });
    return found == attributes.end() ? nullptr : &*found;
  };
  if (const FamilyAttribute* attribute = named(argument)) return attribute;
  for (const ArgumentRow& row : kArguments) {
    const FamilyAttribute* attribute = row.aten == argument ? named(row.attribute) : nullptr;
    if (attribute) return attribute;
  }
  return nullptr;
}

std::optional<std::string> attributeValue(const NodeWriter& node, const FamilyAttribute& attribute,
                                          const Arguments& argument) {
  constexpr int64_t kEnd = int64_t{1} << 40;  // PyTorch's largest integer stands for the end
  switch (attribute.kind) {
    case AttributeKind::Axis:
    case AttributeKind::Number: return concat(node.numberOf(argument));
    case AttributeKind::Axes: return listText(node.numbers(argument));
    case AttributeKind::Extents: return node.sizes(node.numbers(argument));
    case AttributeKind::Extent: return node.size(node.numberOf(argument));
    case AttributeKind::Counts:
    case AttributeKind::Bounds: return listText(node.numbers(argument));
    case AttributeKind::Bound:
      if (node.numberOf(argument) >= kEnd) return std::nullopt;
      return concat(node.numberOf(argument));
    case AttributeKind::Dtype:
      if (!argument.is_object() || !argument.contains("dtype")) node.refuse("a dtype is none");
      return concat(node.result().dtype);
    case AttributeKind::Mark:
    case AttributeKind::Word:
    case AttributeKind::Flag: return node.operandOf(argument);
    case AttributeKind::Operand:
      if (NodeWriter::isValue(argument)) node.refuse("argument '", attribute.text(), "' is a tensor");
      return node.operandOf(argument);
  }
  FUSER_CHECK(false, "bad AttributeKind");
}

void writeCall(NodeWriter& node, const std::string& mnemonic) { CallWriter(node, mnemonic).write(); }

std::vector<std::string> translate(const Graph& graph, const GraphNode& node, const Spelling& spelling) {
  NodeWriter writer(graph, node, spelling);
  const AtenName name = atenName(node.op);
  if (name.full.empty()) writer.refuse("is no op of the language");
  const Named* named = rowOf(kNamed, name);
  if (const Written* written = rowOf(kWritten, name)) {
    written->write(writer);
  } else {
    writeCall(writer, named ? std::string(named->mnemonic) : name.packet);
  }
  return writer.lines();
}

}  // namespace fuser::fuzz
