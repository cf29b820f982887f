#pragma once
// Faults planted in the PTX of seeds, and in what of the printed text is a GPU's alone: neither the interpreter nor the
// cpu engine ever sees them.

#include <regex>
#include <string>

namespace fuser::ptx_faults {

struct PlantedFault {
  const char* name;
  const char* seed;
  const char* from;  // a regular expression
  const char* to;
  int which;          // of its matches, from 0
  const char* shown;  // a part of the violation's message; "": other bits
};

inline constexpr const char* kShuffle = "(shfl\\.sync\\.idx\\.b32 .*, )%r\\d+;";

inline const PlantedFault kOfPtx[] = {
    {"negated_predicate", "softmax", "@%p5 bra", "@!%p5 bra", 0, ""},
    {"bound_left_out", "dequantize_i8", "setp\\.ge\\.s32", "setp.gt.s32", 0, ""},
    {"wrong_state_space", "softmax", "ld\\.global\\.u16", "ld.shared.u16", 0, "of shared memory"},
    {"store_to_shared_memory", "rms_norm_backward", "st\\.global\\.f32", "st.shared.f32", 0, "of shared memory"},
    {"address_of_half_the_width", "softmax", "(mul\\.wide\\.s32 .*), 2;", "$1, 1;", 0, ""},
    {"shuffle_from_another_lane", "softmax", "(xor\\.b32 .*), 16;", "$1, 8;", 0, ""},
    {"shuffle_of_half_a_warp", "softmax", kShuffle, "$010xffff;", 0, "is no member itself"},
    {"barrier_dropped", "rms_norm_backward", "bar\\.sync \t0;", "", 0, "race"},
    {"barrier_behind_the_wait_dropped", "rms_norm_backward", "bar\\.sync \t0;", "", 1, "race"},
    {"barrier_of_shared_memory_dropped", "batch_norm_training", "bar\\.sync \t0;", "", 0, "race"},
    {"fence_before_the_count_dropped", "rms_norm_backward", "membar\\.gl;", "", 0, "race"},
    {"fence_behind_the_wait_dropped", "rms_norm_backward", "membar\\.gl;", "", 1, "race"},
    {"wait_for_one_block_too_many", "rms_norm_backward", "(ld\\.volatile\\.global\\.u32 [^;]*;\\s*setp)\\.lt", "$1.le",
     0, "deadlock"},
    {"count_not_atomic", "rms_norm_backward", "atom\\.global\\.add\\.u32 \t(%r\\d+), (\\[%rd\\d+\\]), 1;",
     "ld.global.u32 $1, $2; add.s32 $1, $1, 1; st.global.u32 $2, $1;", 0, "race"},
    {"store_beside_its_element", "softmax", "st\\.global\\.u16 \t\\[(%rd\\d+)\\]", "st.global.u16 [$1+2]", 0, "race"},
    {"store_beside_its_word", "batch_norm_training", "st\\.shared\\.f32 \t\\[(%rd\\d+)\\]", "st.shared.f32 [$1+4]", 0,
     "uninitialised"},
    {"misaligned_vector", "packed_qkv_split_cat", "(ld\\.global\\.v4\\.f32 .*, \\[%rd\\d+)\\]", "$1+4]", 0,
     "misaligned"},
    {"lanes_of_a_vector_exchanged", "packed_qkv_split_cat", "(ld\\.global\\.v4\\.f32 \t)\\{(%f\\d+), (%f\\d+)",
     "$1{$3, $2", 0, ""},
    {"sign_lost", "dequantize_i8", "ld\\.global\\.s8", "ld.global.u8", 0, ""},
    {"rounded_toward_zero", "rms_norm_backward", "mul\\.rn\\.f32", "mul.rz.f32", 2, ""},
    {"difference_for_a_sum", "softmax", "add\\.rn\\.f32", "sub.rn.f32", 0, ""},
    {"exponential_of_another_base", "softmax", "ex2\\.approx\\.ftz\\.f32", "lg2.approx.ftz.f32", 0, ""},
    {"register_never_written", "dequantize_i8", "cvt\\.rn\\.f32\\.s(16|32) \t%f\\d+, %rs?\\d+;", "", 0,
     "uninitialised"},
};

// In functions that kernel_runtime.cuh has for the device alone.
inline const PlantedFault kOfCuda[] = {
    {"count_before_what_it_counts", "rms_norm_backward", "__threadfence\\(\\);\\s*return atomicAdd", "return atomicAdd",
     0, "race"},
    {"wait_without_a_fence_behind_it", "rms_norm_backward", "< goal\\) \\{\\s*\\}\\s*__threadfence\\(\\);",
     "< goal) {}", 0, "race"},
    {"wait_that_loads_once", "rms_norm_backward", "const volatile int32\\*>\\(count\\)", "const int32*>(count)", 0, ""},
    {"last_block_sees_too_little", "rms_norm_backward", "gridSeen\\(\\) \\{ __threadfence\\(\\);", "gridSeen() {", 0,
     "race"},
    {"count_that_no_atomic_makes", "rms_norm_backward", "return atomicAdd\\(count, 1\\);",
     "const int32 before = *count; *count = before + 1; return before;", 0, "race"},
    {"grid_of_one_row", "adafactor", "gridDim\\.x \\* gridDim\\.y", "gridDim.y", 0, ""},
    {"mask_of_half_a_warp", "softmax", "\\? ~0u :", "? 0xffffu :", 0, "is no member itself"},
    {"mask_of_all_but_the_last_lane", "softmax", "\\? ~0u :", "? ~0u >> 1 :", 0, "is no member itself"},
    {"lane_of_a_smaller_warp", "softmax", "from & 31", "from & 15", 0, ""},
    {"value_cut_on_its_way", "softmax", "static_cast<W>\\(value\\), from",
     "static_cast<W>(static_cast<short>(value)), from", 0, ""},
    {"sum_that_no_atomic_makes", "embedding_backward", "\\{ atomicAdd\\(target, value\\); \\}", "{ *target += value; }",
     0, "race"},
};

inline std::string planted(const PlantedFault& fault, const std::string& text) {
  const std::regex from(fault.from);
  std::smatch match;
  auto start = text.cbegin();
  for (int i = 0; std::regex_search(start, text.cend(), match, from); ++i) {
    if (i == fault.which)
      return std::string(text.cbegin(), match[0].first) + match.format(fault.to) +
             std::string(match[0].second, text.cend());
    start = match[0].second;
  }
  return text;
}

}  // namespace fuser::ptx_faults
