#pragma once
// The lines of a StableHLO function, as they are written one after another.

#include <map>
#include <string>
#include <vector>

#include "fuser/types/scalar_value.h"
#include "fuzz/export/python_names.h"

namespace fuser::fuzz {

// A value of the function: a tensor, of rank 0 for a host scalar.
struct StablehloValue {
  std::string name;  // without '%'
  DataType dtype = DataType::Float;
  std::vector<int64_t> sizes;
};

class StablehloBody {
 public:
  explicit StablehloBody(PythonNames& names) : names_(names) {}

  // Starts the lines of a value: intermediate ones are called after it, "y_1", "y_2", …
  void begin(std::string name);
  // An operation. text: all behind "stablehlo." but the types: "slice %x [0:4:2]". Of two equal operations since
  // begin() the first one.
  StablehloValue line(const std::string& text, const std::vector<StablehloValue>& operands, DataType dtype,
                      std::vector<int64_t> sizes);
  // An operation of operands of equal sizes, element by element; the types are written once where all are the same.
  StablehloValue elementwise(const std::string& text, const std::vector<StablehloValue>& operands, DataType dtype);
  // Any text behind "="; with more than one result the value is the first one.
  StablehloValue lines(const std::string& text, size_t results, DataType dtype, std::vector<int64_t> sizes);
  // Calls a value by the name `given`, and ends its lines; `type` is a comment.
  void end(const StablehloValue& value, const std::string& given, const std::string& type);

  // The value in another dtype, as the language converts: to 16 bits through f32. The value itself if it has the dtype.
  StablehloValue cast(const StablehloValue& value, DataType dtype);
  // The value with these sizes: its axes are the last ones, and those of size 1 become long. The value itself if it has
  // them.
  StablehloValue broadcast(const StablehloValue& value, const std::vector<int64_t>& sizes);
  // A tensor of one number, which is converted as the language does.
  StablehloValue constant(const ScalarValue& number, DataType dtype, std::vector<int64_t> sizes);

  // "    %y = stablehlo.add %x, %one : tensor<2xf32>  // f32[i0]", a line each; constants first.
  std::string text() const;

 private:
  struct Line {
    std::string result, text, type;
    size_t results;
    StablehloValue value;
  };

  PythonNames& names_;
  std::string name_;
  size_t first_ = 0;  // of the lines of this value
  std::vector<Line> lines_;
  std::map<std::string, std::string> constants_;  // the name, by number and type
  std::vector<std::string> constantLines_;
};

// "tensor<2x3xbf16>"
std::string stablehloType(DataType dtype, const std::vector<int64_t>& sizes);
std::string stablehloType(const StablehloValue& value);
// The number in a constant of the dtype: "1.5", "-3", "true"; NaN and infinities by their bits: "0x7FC00000".
std::string stablehloNumber(const ScalarValue& number, DataType dtype);

}  // namespace fuser::fuzz
