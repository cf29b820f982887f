#pragma once
// The tree by which the threads of one block scan a line, written down once more: the lanes of a warp by a butterfly,
// the warps of a turn in order, turn after turn.

#include <algorithm>
#include <vector>

namespace fuser {

// The sums up to each place, and the total of all. `width` threads take a turn's places together, `lanes` of them in
// each warp.
inline std::vector<float> scanOfBlock(const std::vector<float>& x, size_t width, size_t lanes, float& total) {
  std::vector<float> y;
  total = 0;
  for (size_t first = 0; first < x.size(); first += width) {
    std::vector<float> own(width, 0);
    std::copy_n(x.begin() + static_cast<ptrdiff_t>(first), std::min(width, x.size() - first), own.begin());
    std::vector<float> all = own;
    for (size_t apart = 1; apart < lanes; apart *= 2) {
      const std::vector<float> former = all;
      for (size_t t = 0; t < width; ++t) {
        const float partner = former[t ^ apart];
        const bool isUpper = (t & apart) != 0;
        if (isUpper) own[t] = partner + own[t];
        all[t] = isUpper ? partner + former[t] : former[t] + partner;
      }
    }
    for (size_t warp = 0; warp < width; warp += lanes) {
      for (size_t t = warp; t < warp + lanes && first + t < x.size(); ++t) y.push_back(total + own[t]);
      total = total + all[warp];
    }
  }
  return y;
}

}  // namespace fuser
