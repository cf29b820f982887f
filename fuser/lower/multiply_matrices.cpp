// MultiplyMatrices: where a loop is on Mma, the sums of products that a warp's threads make one by one become an Mma,
// whose operands they load together. A thread has the sums of 2 x 2 elements: of the rows that i and threadIdx.y
// number, and of the columns that threadIdx.x and j number, each over the 16 terms that k numbers.
//   for i < 2 { for j < 2 { for k < 16 mma { S[…] = S[…] + f32(A[row(i, y), k]) * f32(B[column(x, j), k]) } } }
//   ->  L[e] = A[row(e / 2 % 2, y), 2x + e % 2 + e / 4 * 8]; R[e] = B[column(y / 2, y % 2), 2x + e % 2 + e / 2 * 8]
//       mma (S[…], S[…], S[…], S[…]) (L, R)
// Conditions around the terms go: what they keep out is zero in a tile (build_mma.cpp). An operand that does not depend
// on an unrolled loop around is loaded in front of it.
#include <algorithm>
#include <map>
#include <optional>

#include "fuser/lower/step_list.h"

namespace fuser {
namespace {

// An element of a tile, or the product of two.
struct TileValue {
  Access element;
  std::optional<Access> factor;
};

bool mentions(IntExpr expr, IntExpr symbol) {
  bool found = false;
  forEachSymbol(expr, [&](IntExpr each) { found |= each == symbol; });
  return found;
}

class MatrixMultiplier {
 public:
  explicit MatrixMultiplier(Kernel& kernel) : kernel_(kernel), ints_(*kernel.ints) {}

  void run(Body& body) {
    Body made;
    for (Statement& statement : body) {
      For* loop = std::get_if<For>(&statement.node);
      if (loop && isNest(*loop)) {
        multiply(*loop, made);
        continue;
      }
      if (If* branch = std::get_if<If>(&statement.node)) run(branch->body);
      if (loop) {
        require(!loop->mma, "two loops of two turns each around it");
        run(loop->body);
        loadBefore(*loop, made);
      }
      made.push_back(std::move(statement));
    }
    body = std::move(made);
  }

 private:
  static void require(bool kept, std::string_view what) {
    FUSER_USER_CHECK(kept, "rule 28: a loop on Mma needs ", what);
  }

  static const For* onlyLoop(const Body& body) {
    return body.size() == 1 ? std::get_if<For>(&body.front().node) : nullptr;
  }

  static bool isNest(const For& rows) {
    const For* columns = onlyLoop(rows.body);
    const For* terms = columns ? onlyLoop(columns->body) : nullptr;
    return terms && terms->mma;
  }

  struct Product {
    Access sum;
    TileValue terms;
    const Expr* source;
  };

  void multiply(const For& rows, Body& body) {
    const For& columns = *onlyLoop(rows.body);
    const For& terms = *onlyLoop(columns.body);
    require(rows.extent->isConstant(2) && columns.extent->isConstant(2) && terms.extent->isConstant(Mma::kTerms),
            "16 turns, in two loops of two");
    require(kernel_.blockDim[0] == 4 && kernel_.blockDim[1] == 8, "a block of 4 threads along x and 8 along y");
    require(kernel_.device.architecture >= kMmaArchitecture && kernel_.device.warp == Mma::kLanes,
            "a device of compute capability 8.0 or later, with warps of 32");
    row_ = rows.index;
    column_ = columns.index;
    term_ = terms.index;
    std::map<int, TileValue> values;
    std::vector<Product> products;
    collect(terms.body, values, products);
    for (const Product& each : products) {
      const bool inOrder = isOfRows(each.terms.element) && isOfColumns(*each.terms.factor);
      const Access &left = inOrder ? each.terms.element : *each.terms.factor,
                   &right = inOrder ? *each.terms.factor : each.terms.element;
      require(isOfRows(left) && isOfColumns(right), "terms that pair rows with columns");
      Mma mma;
      mma.source = each.source;
      mma.left = load(
          left, Mma::kLeft, [&](int64_t e) { return leftAt(left.index, e); }, body);
      mma.right = load(
          right, Mma::kRight, [&](int64_t e) { return rightAt(right.index, e); }, body);
      for (int64_t e = 0; e < 4; ++e) {
        mma.sums[static_cast<size_t>(e)] = {each.sum.buffer, at(each.sum.index, e / 2, e % 2)};
      }
      body.push_back({std::move(mma)});
    }
  }

  // What the statements of a turn make, by register.
  void collect(const Body& body, std::map<int, TileValue>& values, std::vector<Product>& products) {
    for (const Statement& statement : body) {
      if (const If* branch = std::get_if<If>(&statement.node)) {
        collect(branch->body, values, products);
      } else if (const Move* move = std::get_if<Move>(&statement.node)) {
        values[move->target.buffer] = valueOf(move->source, values);
      } else if (const Compute* compute = std::get_if<Compute>(&statement.node)) {
        collect(*compute, values, products);
      } else {
        require(std::holds_alternative<Allocate>(statement.node), "terms that are products alone");
      }
    }
  }

  void collect(const Compute& compute, std::map<int, TileValue>& values, std::vector<Product>& products) {
    std::vector<TileValue> operands;
    const bool isSum = compute.op == OpKind::Add && compute.operands.size() == 2 &&
                       compute.operands[0].kind == Operand::Kind::Access &&
                       compute.operands[0].access.buffer == compute.target.buffer;
    for (size_t i = isSum ? 1 : 0; i < compute.operands.size(); ++i) {
      require(compute.operands[i].kind == Operand::Kind::Access, "terms of tensors alone");
      operands.push_back(valueOf(compute.operands[i].access, values));
    }
    const bool isWide = bufferOf(compute.target).dtype == DataType::Float;
    const bool isCopy = (compute.op == OpKind::Cast || compute.op == OpKind::Set) && !operands.at(0).factor;
    const bool isProduct = compute.op == OpKind::Mul && !operands.at(0).factor && !operands.at(1).factor;
    require(isWide && (isSum ? operands[0].factor.has_value() : isCopy || isProduct),
            "terms that are products, in f32, of elements of tiles");
    if (isSum) return products.push_back({compute.target, operands[0], compute.source});
    values[compute.target.buffer] = isProduct ? TileValue{operands[0].element, operands[1].element} : operands[0];
  }

  TileValue valueOf(const Access& source, const std::map<int, TileValue>& values) const {
    const auto known = values.find(source.buffer);
    if (known != values.end()) return known->second;
    const Buffer& buffer = bufferOf(source);
    const bool is16 = buffer.dtype == DataType::Half || buffer.dtype == DataType::BFloat16;
    require(buffer.memory == MemoryType::Shared && is16, "tiles of f16 or bf16 in shared memory");
    return {source, std::nullopt};
  }

  const Buffer& bufferOf(const Access& access) const { return kernel_.buffers[static_cast<size_t>(access.buffer)]; }
  bool isOfRows(const Access& tile) const {
    return !mentions(tile.index, column_) && !mentions(tile.index, kernel_.threadIdx[0]);
  }
  bool isOfColumns(const Access& tile) const {
    return !mentions(tile.index, row_) && !mentions(tile.index, kernel_.threadIdx[1]);
  }

  IntExpr at(IntExpr index, int64_t row, int64_t column) {
    return ints_.import(index, [&](IntExpr symbol) {
      return symbol == row_ ? ints_.constant(row) : symbol == column_ ? ints_.constant(column) : symbol;
    });
  }

  // The term of a lane: 2x, and so many more.
  IntExpr termAt(int64_t more) {
    return ints_.add(ints_.mul(kernel_.threadIdx[0], ints_.constant(2)), ints_.constant(more));
  }

  IntExpr leftAt(IntExpr index, int64_t e) {
    return ints_.import(index, [&](IntExpr symbol) {
      if (symbol == row_) return ints_.constant(e / 2 % 2);
      return symbol == term_ ? termAt(e % 2 + e / 4 * 8) : symbol;
    });
  }

  IntExpr rightAt(IntExpr index, int64_t e) {
    const IntExpr y = kernel_.threadIdx[1], two = ints_.constant(2);
    return ints_.import(index, [&](IntExpr symbol) {
      if (symbol == kernel_.threadIdx[0]) return ints_.floorDiv(y, two);
      if (symbol == column_) return ints_.mod(y, two);
      return symbol == term_ ? termAt(e % 2 + e / 2 * 8) : symbol;
    });
  }

  // Loads an operand's elements into registers of their own: two at once where they are neighbours.
  template <class IndexAt>
  int load(const Access& tile, int64_t elements, const IndexAt& indexAt, Body& body) {
    Buffer buffer;
    buffer.id = static_cast<int>(kernel_.buffers.size());
    buffer.name = concat("T", buffer.id);
    buffer.dtype = bufferOf(tile).dtype;
    buffer.size = ints_.constant(elements);
    buffer.source = bufferOf(tile).source;
    kernel_.buffers.push_back(buffer);
    operands_.push_back(buffer.id);
    body.push_back({Allocate{buffer.id}});
    for (int64_t e = 0; e < elements; e += 2) {
      const IntExpr first = indexAt(e), second = indexAt(e + 1);
      const bool together =
          ints_.sub(second, first)->isConstant(1) && ints_.mod(first, ints_.constant(2))->isConstant(0);
      body.push_back({Move{{buffer.id, ints_.constant(e)}, {tile.buffer, first}, together ? 2 : 1}});
      if (!together) body.push_back({Move{{buffer.id, ints_.constant(e + 1)}, {tile.buffer, second}}});
    }
    return buffer.id;
  }

  // Moves the loads of operands that are the same in each turn from the loop to what comes before it.
  void loadBefore(For& loop, Body& before) {
    if (!loop.unroll) return;
    for (int operand : operands_) {
      const auto isLoad = [&](const Statement& statement) {
        if (const Allocate* allocate = std::get_if<Allocate>(&statement.node)) return allocate->buffer == operand;
        const Move* move = std::get_if<Move>(&statement.node);
        return move && move->target.buffer == operand;
      };
      const auto varies = [&](const Statement& statement) {
        const Move* move = std::get_if<Move>(&statement.node);
        return move && isLoad(statement) &&
               (mentions(move->source.index, loop.index) || isStored(loop.body, move->source));
      };
      if (std::any_of(loop.body.begin(), loop.body.end(), varies)) continue;
      const auto rest = std::stable_partition(loop.body.begin(), loop.body.end(), isLoad);
      before.insert(before.end(), loop.body.begin(), rest);
      loop.body.erase(loop.body.begin(), rest);
    }
  }

  static bool isStored(const Body& body, const Access& tile) {
    return std::any_of(body.begin(), body.end(), [&](const Statement& statement) {
      if (const For* loop = std::get_if<For>(&statement.node)) return isStored(loop->body, tile);
      if (const If* branch = std::get_if<If>(&statement.node)) return isStored(branch->body, tile);
      if (const Move* move = std::get_if<Move>(&statement.node)) return move->target.buffer == tile.buffer;
      const Compute* compute = std::get_if<Compute>(&statement.node);
      return compute && compute->target.buffer == tile.buffer;
    });
  }

  Kernel& kernel_;
  IntExprArena& ints_;
  IntExpr row_ = nullptr, column_ = nullptr, term_ = nullptr;  // the loops of the sums at hand
  std::vector<int> operands_;                                  // buffers
};

}  // namespace

void runMultiplyMatrices(const Fusion&, Kernel& kernel, const ScheduleRules&) {
  MatrixMultiplier(kernel).run(kernel.body);
}

}  // namespace fuser
