#include "fuser/text/transform_table.h"

namespace fuser::text {

const std::vector<TransformForm>& transformTable() {
  using Field = TransformField;
  using Kind = TransformKind;
  static const std::vector<TransformForm> table = {
      // kind                     name                  %t     %c     fields                        -> %new
      {Kind::Split, "split", true, false, {Field::Axis, Field::Factor}, false},
      {Kind::Bound, "bound", true, false, {Field::Axis, Field::Factor}, false},
      {Kind::Merge, "merge", true, false, {Field::Axis}, false},
      {Kind::Reorder, "reorder", true, false, {Field::Old2New}, false},
      {Kind::Parallelize, "parallelize", true, false, {Field::Axis, Field::Type}, false},
      {Kind::ParallelizeAllLike, "parallelizeAllLike", true, false, {}, false},
      {Kind::Propagate, "propagate", true, false, {}, false},
      {Kind::FollowReduced, "followReduced", true, false, {}, false},
      {Kind::ComputeAt, "computeAt", true, true, {Field::Position}, false},
      {Kind::InlineMost, "inlineMost", false, false, {}, false},
      {Kind::SetMemoryType, "setMemoryType", true, false, {Field::Memory}, false},
      {Kind::Pad, "pad", true, false, {Field::Row, Field::Elements}, false},
      {Kind::Swizzle, "swizzle", true, false, {Field::Axis}, false},
      {Kind::DoubleBuffer, "doubleBuffer", true, false, {}, false},
      {Kind::CircularBuffer, "circularBuffer", true, false, {Field::Stages, Field::Prefetch}, false},
      {Kind::AddByAtomics, "addByAtomics", true, false, {}, false},
      {Kind::IndexType, "indexType", false, false, {Field::IndexType}, false},
      {Kind::CacheBefore, "cacheBefore", true, false, {}, true},
      {Kind::CacheAfter, "cacheAfter", true, false, {}, true},
      {Kind::Recompute, "recompute", true, false, {Field::Operand}, true},
      {Kind::RFactor, "rFactor", true, false, {Field::Axes}, true},
  };
  return table;
}

const TransformForm& transformForm(TransformKind kind) {
  for (const TransformForm& form : transformTable()) {
    if (form.kind == kind) return form;
  }
  FUSER_CHECK(false, "a TransformKind without a row");
}

std::string_view fieldName(TransformField field) {
  switch (field) {
    case TransformField::Axis: return "axis";
    case TransformField::Position: return "position";
    case TransformField::Operand: return "operand";
    case TransformField::Factor: return "factor";
    case TransformField::Row: return "row";
    case TransformField::Elements: return "elements";
    case TransformField::Stages: return "stages";
    case TransformField::Prefetch: return "prefetch";
    case TransformField::Type: return "type";
    case TransformField::Memory: return "memory";
    case TransformField::IndexType: return "type";
    case TransformField::Axes: return "axes";
    case TransformField::Old2New: return "old2new";
  }
  FUSER_CHECK(false, "bad TransformField");
}

std::string_view indexTypeName(DataType type) {
  FUSER_CHECK(type == DataType::Int32 || type == DataType::Int64, "an index of ", type);
  return type == DataType::Int32 ? "int32" : "int64";
}

}  // namespace fuser::text
