// Products of matrices by a warp against plain sums: every lane's fragments by the manual's formulas, element by
// element.

#include <functional>

#include "fuser/support/split_mix.h"
#include "tests/fuser/ptx/kernel.h"

namespace fuser::ptx {
namespace {

struct Shape {
  std::string opcode;
  int rows, depth, elements;
  std::string left, right;  // types
};

// Element i of a lane's fragment (PTX ISA 9.0, 9.7.15.5): its row and its column.
std::pair<int, int> leftPlace(const Shape& shape, int lane, int i) {
  const int group = lane >> 2, thread = lane % 4, e = shape.elements;
  const bool isBelow = shape.rows == 16 && i / e % 2 == 1;
  const int behind = shape.rows == 16 ? i / (2 * e) : i / e;
  return {group + (isBelow ? 8 : 0), thread * e + i % e + behind * 4 * e};
}
std::pair<int, int> rightPlace(const Shape& shape, int lane, int i) {
  const int e = shape.elements;
  return {lane % 4 * e + i % e + i / e * 4 * e, lane >> 2};
}

int64_t valueOf(const std::string& type, uint64_t seed) {
  const uint64_t bits = splitMix64(seed);
  if (type == "s8") return bits % 5 == 0 ? -128 : static_cast<int8_t>(bits >> 8);
  if (type == "u8") return bits % 5 == 0 ? 255 : static_cast<uint8_t>(bits >> 8);
  return static_cast<int64_t>(bits % 9) - 4;  // exact in f16 and bf16
}
uint32_t bitsOfElement(const std::string& type, int64_t value) {
  if (type == "f16") return Half(static_cast<double>(value)).bits;
  if (type == "bf16") return Bfloat(static_cast<double>(value)).bits;
  return static_cast<uint8_t>(value);
}

// The module's tables of fragments, from which each lane loads its registers, and the sums that it stores.
void expectProduct(const Shape& shape, int64_t start, const std::function<uint32_t(int64_t)>& sumOf) {
  const int lefts = shape.rows * shape.depth / 32 / shape.elements, rights = shape.depth * 8 / 32 / shape.elements;
  const int sums = shape.rows / 4;
  const bool isFloat = shape.elements == 2;
  std::string tables;
  const auto table = [&](const char* name, int registers, auto place, const std::string& type, uint64_t seed) {
    std::string values;
    for (int lane = 0; lane < 32; ++lane) {
      for (int i = 0; i < registers; ++i) {
        uint32_t word = 0;
        for (int k = 0; k < shape.elements; ++k) {
          const auto [row, column] = place(shape, lane, i * shape.elements + k);
          const int64_t value = valueOf(type, seed + static_cast<uint64_t>(100 * row + column));
          word |= bitsOfElement(type, value) << (32 / shape.elements * k);
        }
        values += concat(values.empty() ? "" : ", ", word);
      }
    }
    tables += concat(".global .align 16 .u32 ", name, "[", 32 * registers, "] = {", values, "};\n");
  };
  table("lefts", lefts, leftPlace, shape.left, 1);
  table("rights", rights, rightPlace, shape.right, 77777);
  std::string body;
  const auto load = [&](const char* name, int registers, int first) {
    std::string names;
    body += concat("mov.u64 %d1, ", name, ";\nmul.wide.u32 %d2, %t, ", 4 * registers, ";\nadd.s64 %d1, %d1, %d2;\n");
    for (int i = 0; i < registers; ++i) {
      body += concat("ld.global.u32 %r", first + i, ", [%d1+", 4 * i, "];\n");
      names += concat(names.empty() ? "{" : ", ", "%r", first + i);
    }
    return names + "}";
  };
  const std::string left = load("lefts", lefts, 1), right = load("rights", rights, 5);
  const uint32_t startBits =
      isFloat ? std::bit_cast<uint32_t>(static_cast<float>(start)) : static_cast<uint32_t>(start);
  std::string from, to;
  for (int i = 0; i < sums; ++i) {
    from += concat(i ? ", " : "{", startBits);
    to += concat(i ? ", " : "{", "%r", 10 + i);
  }
  body += concat(shape.opcode, " ", to, "}, ", left, ", ", right, ", ", from, "};\n");
  for (int i = 0; i < sums; ++i) {
    const std::vector<uint32_t> out = run({concat(body, "st.global.u32 [%o], %r", 10 + i, ";"), tables});
    for (int lane = 0; lane < 32; ++lane) {
      const int row = lane / 4 + (i < 2 ? 0 : 8), column = lane % 4 * 2 + i % 2;
      int64_t sum = start;
      for (int k = 0; k < shape.depth; ++k)
        sum += valueOf(shape.left, 1 + static_cast<uint64_t>(100 * row + k)) *
               valueOf(shape.right, 77777 + static_cast<uint64_t>(100 * k + column));
      ASSERT_EQ(out[static_cast<size_t>(lane)], sumOf(sum)) << shape.opcode << " at " << row << ", " << column;
    }
  }
}

TEST(MatrixTest, ProductsOfIntegersWrapAroundOrStop) {
  for (const auto& [name, rows, depth] : {std::tuple{"m8n8k16", 8, 16}, {"m16n8k16", 16, 16}, {"m16n8k32", 16, 32}}) {
    for (const char* left : {"s8", "u8"}) {
      for (const char* right : {"s8", "u8"}) {
        const auto shape = [&](const char* clamps) {
          return Shape{concat("mma.sync.aligned.", name, ".row.col", clamps, ".s32.", left, ".", right, ".s32"),
                       rows,
                       depth,
                       4,
                       left,
                       right};
        };
        for (int64_t start : {int64_t{5}, int64_t{0x7fffffff}, -int64_t{0x80000000}}) {
          expectProduct(shape(""), start, [](int64_t sum) { return static_cast<uint32_t>(sum); });
          expectProduct(shape(".satfinite"), start, [](int64_t sum) {
            return static_cast<uint32_t>(std::clamp<int64_t>(sum, -int64_t{0x80000000}, 0x7fffffff));
          });
        }
      }
    }
  }
}

TEST(MatrixTest, ProductsOfFloatsHaveTheirFragments) {
  for (const auto& [name, depth] : {std::pair{"m16n8k8", 8}, {"m16n8k16", 16}}) {
    for (const char* type : {"f16", "bf16"}) {
      expectProduct(
          {concat("mma.sync.aligned.", name, ".row.col.f32.", type, ".", type, ".f32"), 16, depth, 2, type, type}, 3,
          [](int64_t sum) { return std::bit_cast<uint32_t>(static_cast<float>(sum)); });
    }
  }
}

// Row r of matrix m of shared memory holds 100 m + 10 r + column; lane l says where row l % 8 of matrix l / 8 begins.
std::vector<uint32_t> loaded(const std::string& load, int which) {
  std::string fill;
  for (int column = 0; column < 8; ++column)
    fill += concat("add.u32 %r5, %r4, ", column, ";\nst.shared.u16 [%r3+", 2 * column, "], %r5;\n");
  return run({concat("mov.u32 %r2, s;\nmad.lo.u32 %r3, %t, 16, %r2;\nand.b32 %r1, %t, 7;\nshr.u32 %r4, %t, 3;\n"
                     "mul.lo.u32 %r4, %r4, 100;\nmad.lo.u32 %r4, %r1, 10, %r4;\n",
                     fill, "bar.sync 0;\n", load, "\nst.global.u32 [%o], %r", which, ";"),
              ".shared .align 16 .b8 s[512];"});
}

TEST(MatrixTest, FragmentsAreLoadedByRowsOrColumns) {
  for (int matrix = 0; matrix < 4; ++matrix) {
    const std::vector<uint32_t> rows =
        loaded("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r3];", 10 + matrix);
    const std::vector<uint32_t> columns =
        loaded("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r10, %r11, %r12, %r13}, [%r3];", 10 + matrix);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      const uint32_t g = lane / 4, t = lane % 4, base = 100 * static_cast<uint32_t>(matrix);
      EXPECT_EQ(rows[lane], base + 10 * g + 2 * t + ((base + 10 * g + 2 * t + 1) << 16));
      EXPECT_EQ(columns[lane], base + 20 * t + g + ((base + 20 * t + 10 + g) << 16));
    }
  }
  EXPECT_EQ(loaded("ldmatrix.sync.aligned.m8n8.x1.shared::cta.b16 {%r10}, [%r3];", 10)[5], 12u + (13 << 16));
  EXPECT_EQ(loaded("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r10, %r11}, [%r3];", 11)[5], 112u + (113 << 16));
}

TEST(MatrixTest, LoadedRowsAreChecked) {
  const std::string shared = ".shared .align 16 .b8 s[512];", at = "mov.u32 %r2, s;\nmad.lo.u32 %r3, %t, 16, %r2;\n";
  EXPECT_FAULT(
      (Kernel{at + "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r3];\nst.global.u32 [%o], %r1;", shared}),
      "uninitialised bits are stored");
  EXPECT_FAULT((Kernel{at + "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r3+8];", shared}),
               "misaligned: 16 bytes");
  EXPECT_FAULT(
      (Kernel{at + "st.shared.u32 [%r3], %t;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];", shared}),
      "race: it reads what thread");
  EXPECT_REFUSED((Kernel{"ldmatrix.sync.aligned.m8n16.x1.shared.b16 {%r1}, [%r3];"}), "no instruction");
}

TEST(MatrixTest, OtherFormsAreRefused) {
  EXPECT_REFUSED(
      (Kernel{"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4},"
              " {%r1, %r2}, {%r1, %r2, %r3, %r4};"}),
      "no instruction");
  EXPECT_REFUSED((Kernel{"mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32 {%r1, %r2}, {%r3, %r4}, {%r5}, {%r1, %r2};"}),
                 "no instruction");
  EXPECT_FAULT((Kernel{"mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32 {%r1, %r2}, {%t}, {%r5}, {%r1, %r2};"}),
               "uninitialised bits decide a sum of products");
}

}  // namespace
}  // namespace fuser::ptx
