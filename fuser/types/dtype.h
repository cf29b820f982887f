#pragma once
// DataType: the element types. Each is one row of dtype.def, so a new type is a line there, not a case in every switch.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string_view>

#include "fuser/support/check.h"
#include "fuser/types/device_types.cuh"

namespace fuser {

enum class DataType : uint8_t {
#define DTYPE(name, ...) name,
#include "fuser/types/dtype.def"
#undef DTYPE
};

inline constexpr DataType kAllDataTypes[] = {
#define DTYPE(name, ...) DataType::name,
#include "fuser/types/dtype.def"
#undef DTYPE
};

// Ordered by promotion: the later category wins, as in PyTorch.
enum class Category : uint8_t { Bool, Int, Float };

std::string_view dtypeName(DataType dtype);      // "bf16"
std::string_view dtypeCodeName(DataType dtype);  // "fuser::BFloat16"
std::optional<DataType> dtypeFromName(std::string_view name);  // inverse of dtypeName; nullopt for an unknown name
size_t dtypeSize(DataType dtype);  // bytes
Category category(DataType dtype);
inline bool isFloating(DataType dtype) { return category(dtype) == Category::Float; }

// Whether a GPU adds such elements to memory by atomics.
constexpr bool addsAtomically(DataType dtype) {
  return dtype == DataType::Float || dtype == DataType::Double || dtype == DataType::Int32 || dtype == DataType::Int64;
}

// The dtype that holds the same bits as a number of the other kind: i64 for f64, i32 for f32, f16 and bf16 (in its low
// half); f64 for i64, f32 for i32. nullopt for i8 and bool.
std::optional<DataType> bitsDtype(DataType dtype);

// The type in which an op computes: f32 for f16 and bf16, otherwise the dtype itself (PyTorch's "opmath" type).
DataType computeType(DataType dtype);

// The common dtype of two dtypes, by the rules of torch.promote_types.
DataType promoteTypes(DataType a, DataType b);

inline std::ostream& operator<<(std::ostream& out, DataType dtype) { return out << dtypeName(dtype); }
inline void appendText(std::string& out, DataType dtype) { out += dtypeName(dtype); }

// Calls f.template operator()<Storage>() with the dtype's C++ storage type and returns its result. Generic code is
// written once this way.
template <class F>
decltype(auto) dispatch(DataType dtype, F&& f) {
  switch (dtype) {
#define DTYPE(name, text, storage, ...) \
  case DataType::name:                  \
    return f.template operator()<storage>();
#include "fuser/types/dtype.def"
#undef DTYPE
  }
  FUSER_CHECK(false, "bad dtype");
}

template <class T>
struct DataTypeOf;
#define DTYPE(name, text, storage, ...)                    \
  template <>                                              \
  struct DataTypeOf<storage> {                             \
    static constexpr DataType value = DataType::name;      \
  };
#include "fuser/types/dtype.def"
#undef DTYPE

}  // namespace fuser
