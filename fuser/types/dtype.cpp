#include "fuser/types/dtype.h"

namespace fuser {
namespace {

struct Row {
  DataType dtype;
  std::string_view text;
  size_t size;
  Category category;
  std::string_view code;
};

constexpr Row kRows[] = {
#define DTYPE(name, text, storage, category, code) {DataType::name, text, sizeof(storage), Category::category, code},
#include "fuser/types/dtype.def"
#undef DTYPE
};

const Row& row(DataType dtype) { return kRows[static_cast<size_t>(dtype)]; }

}  // namespace

std::string_view dtypeName(DataType dtype) { return row(dtype).text; }
std::string_view dtypeCodeName(DataType dtype) { return row(dtype).code; }
size_t dtypeSize(DataType dtype) { return row(dtype).size; }
Category category(DataType dtype) { return row(dtype).category; }

std::optional<DataType> dtypeFromName(std::string_view name) {
  for (const Row& candidate : kRows) {
    if (candidate.text == name) return candidate.dtype;
  }
  return std::nullopt;
}

std::optional<DataType> bitsDtype(DataType dtype) {
  switch (dtype) {
    case DataType::Double: return DataType::Int64;
    case DataType::Float:
    case DataType::Half:
    case DataType::BFloat16: return DataType::Int32;
    case DataType::Int64: return DataType::Double;
    case DataType::Int32: return DataType::Float;
    case DataType::Int8:
    case DataType::Bool: return std::nullopt;
  }
  FUSER_CHECK(false, "bad dtype");
}

DataType computeType(DataType dtype) {
  return dtype == DataType::Half || dtype == DataType::BFloat16 ? DataType::Float : dtype;
}

DataType promoteTypes(DataType a, DataType b) {
  if (a == b) return a;
  if (category(a) != category(b)) return category(a) < category(b) ? b : a;
  // Neither f16 nor bf16 contains the other; both convert to f32 exactly.
  if (dtypeSize(a) == dtypeSize(b)) return DataType::Float;
  return dtypeSize(a) < dtypeSize(b) ? b : a;
}

}  // namespace fuser
