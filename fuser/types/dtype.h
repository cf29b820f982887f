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
std::string_view pytorchName(DataType dtype);    // "bfloat16"
std::optional<DataType> dtypeFromName(std::string_view name);  // inverse of dtypeName; nullopt for an unknown name
size_t dtypeSize(DataType dtype);  // bytes
struct IntegerRange {
  int64_t least;
  int64_t most;
};
IntegerRange integerRange(DataType dtype);  // of integers and bool
Category category(DataType dtype);
inline bool isFloating(DataType dtype) { return category(dtype) == Category::Float; }
// A sign, an exponent whose bias is half of its range, and a fraction, as IEEE 754 has them.
struct FloatFormat {
  int exponentBits;
  int fractionBits;
  bool hasInfinities;
  double largest;
};
FloatFormat floatFormat(DataType dtype);  // of floats
bool isUnsigned(DataType dtype);          // whole numbers that are never negative; false for bool
bool isStored(DataType dtype);            // dtype.def, use Stored

// Whether a GPU adds such elements to memory by atomics.
constexpr bool addsAtomically(DataType dtype) {
  return dtype == DataType::Float || dtype == DataType::Double || dtype == DataType::Int32 || dtype == DataType::Int64;
}

// The dtype that holds the same bits as a number of the other kind: i64 for f64, i32 for smaller floats (in its low
// bits); f64 for i64, f32 for i32. nullopt for other integers and bool.
std::optional<DataType> bitsDtype(DataType dtype);

// The type in which an op computes: f32 for floats of 16 and 8 bits, otherwise the dtype itself (PyTorch's "opmath"
// type).
DataType computeType(DataType dtype);
// Whether a float has fewer bits than it is computed in.
inline bool isNarrowFloat(DataType dtype) { return isFloating(dtype) && dtypeSize(dtype) < 4; }

// The common dtype of two dtypes, by the rules of torch.promote_types; nullopt where PyTorch has none: of dtypes that
// are stored and any others, but for u16 and u32 and floats that compute.
std::optional<DataType> commonType(DataType a, DataType b);
// The same; an error of the user where there is none.
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
