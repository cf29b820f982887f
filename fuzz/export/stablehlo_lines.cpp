#include "fuzz/export/stablehlo_lines.h"

#include <limits>

namespace fuser::fuzz::stablehlo {

std::string listed(const Sizes& numbers) {
  std::string text;
  for (int64_t number : numbers) text += concat(text.empty() ? "" : ", ", number);
  return concat("[", text, "]");
}

std::string filled(std::string_view text, const std::vector<std::pair<std::string, std::string>>& words) {
  std::string out(text);
  for (const auto& [name, word] : words) {
    const std::string hole = "{" + name + "}";
    for (size_t at = out.find(hole); at != out.npos; at = out.find(hole, at + word.size()))
      out.replace(at, hole.size(), word);
  }
  return out;
}

StablehloValue reshapedTo(const Lines& lines, const StablehloValue& value, const Sizes& sizes) {
  if (value.sizes == sizes) return value;
  return lines.body().line(concat("reshape %", value.name), {value}, value.dtype, sizes);
}
StablehloValue iota(const Lines& lines, size_t axis, const Sizes& sizes) {
  return lines.body().lines(concat("stablehlo.iota dim = ", axis, " : ", stablehloType(DataType::Int64, sizes)), 1,
                            DataType::Int64, sizes);
}

StablehloValue slicedAt(const Lines& lines, const StablehloValue& value, size_t axis, int64_t start, int64_t end,
                        int64_t step) {
  std::string ranges;
  Sizes sizes = value.sizes;
  for (size_t i = 0; i < sizes.size(); ++i) {
    ranges +=
        concat(ranges.empty() ? "" : ", ", i == axis ? concat(start, ":", end, ":", step) : concat("0:", sizes[i]));
  }
  sizes[axis] = (end - start + step - 1) / step;
  return lines.body().line(concat("slice %", value.name, " [", ranges, "]"), {value}, value.dtype, sizes);
}

StablehloValue joinedAlong(const Lines& lines, const std::vector<StablehloValue>& parts, size_t axis) {
  std::string names;
  Sizes sizes = parts.at(0).sizes;
  sizes[axis] = 0;
  for (const StablehloValue& part : parts) {
    names += concat("%", part.name, ", ");
    sizes[axis] += part.sizes[axis];
  }
  return lines.body().line(concat("concatenate ", names, "dim = ", axis), parts, parts[0].dtype, sizes);
}

ScalarValue lowest(DataType dtype, int64_t sign) {
  switch (category(dtype)) {
    case Category::Float: return static_cast<double>(-sign) * std::numeric_limits<double>::infinity();
    case Category::Bool: return sign < 0;
    case Category::Int: break;
  }
  return sign > 0 ? integerRange(dtype).least : integerRange(dtype).most;
}

}  // namespace fuser::fuzz::stablehlo
