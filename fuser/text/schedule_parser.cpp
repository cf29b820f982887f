// Parses schedule steps according to the table in transform_table.cpp.

#include "fuser/text/schedule_parser.h"

#include <algorithm>
#include <set>

#include "fuser/text/limits.h"
#include "fuser/text/parser.h"
#include "fuser/text/token_rules.h"
#include "fuser/text/transform_table.h"
#include "fuser/tokens/literals.h"

namespace fuser {
namespace text {
namespace {

constexpr size_t kMaxAxes = 1024;  // of a loop domain

constexpr ParallelType kParallelTypes[] = {ParallelType::Serial,   ParallelType::BIDx,      ParallelType::BIDy,
                                           ParallelType::BIDz,     ParallelType::TIDx,      ParallelType::TIDy,
                                           ParallelType::TIDz,     ParallelType::Vectorize, ParallelType::Unroll,
                                           ParallelType::Unswitch, ParallelType::Mma};
constexpr DataType kIndexTypes[] = {DataType::Int32, DataType::Int64};
constexpr MemoryType kMemoryTypes[] = {MemoryType::Global, MemoryType::Shared, MemoryType::Local};

template <class Enum, size_t n, class NameOf>
Enum readEnum(TokenReader& reader, const Enum (&values)[n], NameOf nameOf, std::string_view what) {
  const Token token = reader.expect(TokenKind::Identifier, what);
  std::string known;
  for (Enum value : values) {
    if (nameOf(value) == token.text) return value;
    known += concat(known.empty() ? "" : ", ", nameOf(value));
  }
  reader.fail(token, "unknown ", what, " '", token.text, "'; known: ", known);
}

void readField(TokenReader& reader, TransformField field, Transform& transform) {
  switch (field) {
    case TransformField::Axis:
    case TransformField::Position:
    case TransformField::Row:
    case TransformField::Stages:
    case TransformField::Operand: transform.axis = readInteger(reader); return;
    case TransformField::Factor: {
      const Token at = reader.peek();
      transform.factor = readInteger(reader);
      if (transform.factor < 1) reader.fail(at, "a factor is at least 1");
      return;
    }
    case TransformField::Elements:
    case TransformField::Prefetch: transform.factor = readInteger(reader); return;
    case TransformField::Type:
      transform.type = readEnum(reader, kParallelTypes, parallelTypeName, "parallel type");
      return;
    case TransformField::Memory:
      transform.memory = readEnum(reader, kMemoryTypes, memoryTypeName, "memory type");
      return;
    case TransformField::IndexType:
      transform.indexType = readEnum(reader, kIndexTypes, indexTypeName, "index type");
      return;
    case TransformField::Axes:
      reader.list("[", "]", kMaxAxes, [&] { transform.axes.push_back(readInteger(reader)); });
      return;
    case TransformField::Old2New:
      reader.list("[", "]", kMaxAxes, [&] {
        const int64_t from = readInteger(reader);
        reader.expect("->");
        transform.old2new.emplace_back(from, readInteger(reader));
      });
      return;
  }
  FUSER_CHECK(false, "bad TransformField");
}

void readFields(TokenReader& reader, const Token& step, const TransformForm& form, Transform& transform) {
  std::set<TransformField> fields;
  reader.list("{", "}", kMaxAxes, [&] {
    const Token key = reader.expect(TokenKind::Identifier, "an attribute");
    const auto field = std::find_if(form.fields.begin(), form.fields.end(),
                                    [&](TransformField each) { return fieldName(each) == key.text; });
    if (field == form.fields.end()) reader.fail(key, step.text, " takes no attribute '", key.text, "'");
    if (!fields.insert(*field).second) reader.fail(key, "'", key.text, "' is given twice");
    reader.expect("=");
    readField(reader, *field, transform);
  });
  for (TransformField field : form.fields) {
    if (!fields.count(field)) reader.fail(step, step.text, " needs '", fieldName(field), "'");
  }
}

// `recomputed`: the names that recompute gave; a second reader may share one.
Transform readStep(TokenReader& reader, TensorNames& names, std::set<std::string>& recomputed) {
  const Token step = reader.expect(TokenKind::Identifier, "a schedule step");
  const std::vector<TransformForm>& table = transformTable();
  const auto form =
      std::find_if(table.begin(), table.end(), [&](const TransformForm& each) { return each.name == step.text; });
  if (form == table.end()) reader.fail(step, "unknown schedule step '", step.text, "'");
  Transform transform{};
  transform.kind = form->kind;
  transform.type = ParallelType::Serial;
  transform.memory = MemoryType::Local;
  const auto readTensor = [&] {
    const Token tensor = reader.expect(TokenKind::Value, "a tensor");
    names.onTensor(tensor);
    return std::string(tensor.text);
  };
  if (form->tensor) transform.tensor = readTensor();
  if (form->consumer) transform.other = readTensor();
  if (!form->fields.empty()) readFields(reader, step, *form, transform);
  if (form->makesTensor) {
    reader.expect("->");
    const Token newName = reader.expect(TokenKind::Value, "the new tensor's name");
    transform.other = newName.text;
    const bool isShared = form->kind == TransformKind::Recompute && !recomputed.insert(transform.other).second;
    if (!isShared) names.onNew(newName);
  }
  return transform;
}

// Accepts any name, for a schedule that is parsed without its fusion.
struct AnyNames : TensorNames {
  void onTensor(const Token&) override {}
  void onNew(const Token&) override {}
};

}  // namespace

Schedule readSchedule(TokenReader& reader, TensorNames& names) {
  Schedule schedule;
  std::set<std::string> recomputed;
  while (reader.peek().kind == TokenKind::Identifier) {
    if (schedule.size() == kMaxTransforms) reader.fail(reader.peek(), "more than ", kMaxTransforms, " schedule steps");
    names.onStep(reader.peek());
    schedule.push_back(readStep(reader, names, recomputed));
  }
  return schedule;
}

}  // namespace text

Schedule parseSchedule(std::string_view text, const std::string& fileName) {
  TokenReader reader(text, fileName, text::kTokenRules);
  text::AnyNames names;
  Schedule schedule = text::readSchedule(reader, names);
  if (reader.peek().kind != TokenKind::End) reader.failExpected("a schedule step");
  return schedule;
}

}  // namespace fuser
