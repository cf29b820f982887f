// Builds the registers of index arithmetic, derives their bounds, and evaluates them over lanes.
#include "fuser/execute/interp_index.h"

#include <algorithm>
#include <tuple>

#include "fuser/support/check.h"

namespace fuser::interp {

int IndexProgram::add(Register target) {
  if (target.varying) target.laneSlot = static_cast<int>(laneSlots_++);
  registers_.push_back(target);
  return static_cast<int>(registers_.size()) - 1;
}

int IndexProgram::declare(IntExpr symbol, int scope, bool varying, int extent) {
  FUSER_CHECK(symbol && (symbol->isSymbol() || symbol->isConstant()),
              "a parameter or index of a kernel is not a symbol");
  Register target;
  target.op = symbol->op;
  target.constant = symbol->value;  // a constant stands where an index runs over 1
  target.varying = varying && symbol->isSymbol();
  target.scope = symbol->isSymbol() ? scope : kLaunchScope;
  target.extent = extent;
  if (registerOfNode_.size() <= symbol->id) registerOfNode_.resize(symbol->id + 1, -1);
  return registerOfNode_[symbol->id] = add(target);
}

int IndexProgram::declareLoaded(IntExpr symbol, int scope, int low, int extent) {
  FUSER_CHECK(symbol && symbol->isSymbol(), "a loaded index of a kernel is not a symbol");
  const int r = declare(symbol, scope, true, extent);
  registers_.back().low = low;
  return r;
}

int IndexProgram::newScope() {
  scopes_.emplace_back();
  return static_cast<int>(scopes_.size()) - 1;
}

int IndexProgram::computed(IntOp op, int a, int b, int64_t limit) {
  Register target;
  target.op = op;
  target.limit = limit;
  target.a = a;
  target.b = b;
  target.varying = (*this)[a].varying || (*this)[b].varying;
  target.scope = std::max((*this)[a].scope, (*this)[b].scope);
  const int r = add(target);
  scopes_[static_cast<size_t>(target.scope)].push_back(r);
  return r;
}

// Adds the terms from the outermost scope to the innermost, in each scope uniform ones first. So loop invariants are
// added outside of the loop, and as few additions as possible run over lanes.
int IndexProgram::sum(IntExpr expr) {
  std::vector<int> terms;
  const auto collect = [&](auto& self, IntExpr part) -> void {
    if (part->op != IntOp::Add) return terms.push_back(dataRegisterOf(part));
    self(self, part->a);
    self(self, part->b);
  };
  collect(collect, expr);
  std::sort(terms.begin(), terms.end(), [&](int a, int b) {
    const Register& x = (*this)[a];
    const Register& y = (*this)[b];
    return std::tuple(x.scope, x.varying, a) < std::tuple(y.scope, y.varying, b);
  });
  const auto add = [&](int a, int b) {
    if (a < 0) return b;
    const auto [entry, isNew] = sums_.try_emplace({a, b}, -1);
    return isNew ? entry->second = computed(IntOp::Add, a, b, kNoLimit) : entry->second;
  };
  int total = -1;
  for (size_t i = 0; i < terms.size();) {
    int uniform = -1;
    const int scope = (*this)[terms[i]].scope;
    const auto here = [&] { return i < terms.size() && (*this)[terms[i]].scope == scope; };
    for (; here() && !(*this)[terms[i]].varying; ++i) uniform = add(uniform, terms[i]);
    if (uniform >= 0) total = add(total, uniform);
    for (; here(); ++i) total = add(total, terms[i]);
  }
  return total;
}

// A symbol or constant that is used as it is: nothing is computed that would show that the limit does not hold it.
int IndexProgram::within(int r) {
  const auto [entry, isNew] = within_.try_emplace(r, -1);
  return isNew ? entry->second = computed(IntOp::Min, r, r, limit_) : entry->second;
}

int IndexProgram::registerOf(IntExpr expr) {
  const int r = registerOf(expr, limit_);
  return limit_ != kNoLimit && (expr->isSymbol() || expr->isConstant()) ? within(r) : r;
}

int IndexProgram::registerOf(IntExpr expr, int64_t limit) {
  FUSER_CHECK(expr, "a kernel without an index where there has to be one");
  // Symbols and constants have one register, which has no limit.
  if (expr->isSymbol() || expr->isConstant()) limit = kNoLimit;
  const std::vector<int>& known = registersOfNodes(limit);
  if (expr->id < known.size() && known[expr->id] >= 0) return known[expr->id];
  FUSER_CHECK(!expr->isSymbol(), "a kernel uses a symbol that it does not declare");
  int r = -1;
  if (expr->isConstant()) {
    Register target;
    target.constant = expr->value;
    r = add(target);
  } else if (expr->op == IntOp::Add && limit == kNoLimit) {
    r = sum(expr);
  } else {
    const int a = registerOf(expr->a, limit);
    r = computed(expr->op, a, registerOf(expr->b, limit), limit);
  }
  std::vector<int>& registers = registersOfNodes(limit);
  if (registers.size() <= expr->id) registers.resize(expr->id + 1, -1);
  return registers[expr->id] = r;
}

namespace {

int64_t floorDivide(int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return static_cast<int64_t>(0 - static_cast<uint64_t>(a));
  const int64_t quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

int64_t floorModulo(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a - floorDivide(a, b) * b; }

bool exceeds(int64_t value, int64_t limit) { return value > limit || value < -limit; }  // kOverflow does any

// One step of integer arithmetic; with kChecked, what exceeds the limit, on its way in or out, gives kOverflow. With a
// limit, that is so for both sides of an And, since printed code computes parts of the second one before it.
template <IntOp kOp, bool kChecked>
int64_t step(int64_t a, int64_t b, int64_t limit) {
  if constexpr (kChecked && kOp == IntOp::And) {
    if (a == 0 && limit == kNoLimit) return 0;
  }
  if constexpr (kChecked) {
    if (exceeds(a, limit) || exceeds(b, limit)) return kOverflow;
    int64_t result = 0;
    if constexpr (kOp == IntOp::Add) {
      return __builtin_add_overflow(a, b, &result) || exceeds(result, limit) ? kOverflow : result;
    }
    if constexpr (kOp == IntOp::Mul) {
      return __builtin_mul_overflow(a, b, &result) || exceeds(result, limit) ? kOverflow : result;
    }
  }
  if constexpr (kOp == IntOp::Add) return a + b;
  if constexpr (kOp == IntOp::Mul) return a * b;
  if constexpr (kOp == IntOp::FloorDiv) return floorDivide(a, b);
  if constexpr (kOp == IntOp::Mod) return floorModulo(a, b);
  if constexpr (kOp == IntOp::Min) return std::min(a, b);
  if constexpr (kOp == IntOp::Max) return std::max(a, b);
  if constexpr (kOp == IntOp::Less) return a < b;
  if constexpr (kOp == IntOp::Equal) return a == b;
  if constexpr (kOp == IntOp::And) return (a != 0) & (b != 0);
}

// An operand: one value for all lanes, or one per lane.
struct Source {
  const int64_t* lanes;  // null when uniform
  int64_t value;
};

template <IntOp kOp, bool kChecked>
void stepLanes(Source a, Source b, int64_t limit, int64_t* out, size_t lanes) {
  if (a.lanes && b.lanes) {
    for (size_t i = 0; i < lanes; ++i) out[i] = step<kOp, kChecked>(a.lanes[i], b.lanes[i], limit);
  } else if (a.lanes) {
    for (size_t i = 0; i < lanes; ++i) out[i] = step<kOp, kChecked>(a.lanes[i], b.value, limit);
  } else {
    for (size_t i = 0; i < lanes; ++i) out[i] = step<kOp, kChecked>(a.value, b.lanes[i], limit);
  }
}

// Dividends in [0, 2^32), one divisor in [1, 2^32): multiplication by the reciprocal, exact in this range (Lemire,
// Kaser and Kurz, "Faster remainder by direct computation", 2019).
void divideSmall(const int64_t* a, uint64_t divisor, bool remainder, int64_t* out, size_t lanes) {
  if (divisor == 1) {
    for (size_t i = 0; i < lanes; ++i) out[i] = remainder ? 0 : a[i];
    return;
  }
  const uint64_t reciprocal = ~uint64_t{0} / divisor + 1;
  for (size_t i = 0; i < lanes; ++i) {
    const uint64_t x = static_cast<uint64_t>(a[i]);
    const uint64_t quotient = static_cast<uint64_t>((static_cast<unsigned __int128>(reciprocal) * x) >> 64);
    out[i] = static_cast<int64_t>(remainder ? x - quotient * divisor : quotient);
  }
}

bool isSmall(Range range) { return range.low >= 0 && range.high < (int64_t{1} << 32); }

// The exact bounds of a step (interval arithmetic), or "unknown" if they exceed +-2^62.
constexpr Range kAnything{std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
constexpr int64_t kSafe = int64_t{1} << 62;

Range hull(__int128 low, __int128 high) {
  if (low < -kSafe || high > kSafe) return kAnything;
  return {static_cast<int64_t>(low), static_cast<int64_t>(high)};
}

Range productRange(Range a, Range b) {
  const __int128 corners[] = {static_cast<__int128>(a.low) * b.low, static_cast<__int128>(a.low) * b.high,
                              static_cast<__int128>(a.high) * b.low, static_cast<__int128>(a.high) * b.high};
  return hull(*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4));
}

Range quotientRange(Range a, Range b) {
  const __int128 magnitude = std::max(-static_cast<__int128>(a.low), static_cast<__int128>(a.high));
  if (b.low < 0) return hull(-magnitude, magnitude);
  const int64_t smallest = std::max<int64_t>(b.low, 1);
  return hull(std::min<int64_t>(floorDivide(a.low, smallest), 0), std::max<int64_t>(floorDivide(a.high, smallest), 0));
}

Range rangeOf(IntOp op, Range a, Range b) {
  switch (op) {
    case IntOp::Constant:
    case IntOp::Symbol:
    case IntOp::Meet: break;  // of fusions alone
    case IntOp::Add: return hull(static_cast<__int128>(a.low) + b.low, static_cast<__int128>(a.high) + b.high);
    case IntOp::Mul: return productRange(a, b);
    case IntOp::FloorDiv: return quotientRange(a, b);
    case IntOp::Mod:
      return b.low < 0 ? hull(b.low, std::max<int64_t>(b.high, 0)) : Range{0, std::max<int64_t>(b.high, 0)};
    case IntOp::Min: return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case IntOp::Max: return {std::max(a.low, b.low), std::max(a.high, b.high)};
    case IntOp::Less:
    case IntOp::Equal:
    case IntOp::And: return {0, 1};
  }
  FUSER_CHECK(false, "bad IntOp");
}

}  // namespace

IndexValues::IndexValues(const IndexProgram& program, size_t stride)
    : program_(program),
      stride_(stride),
      uniform_(program.size()),
      ranges_(program.size()),
      versions_(program.size(), 1),
      facts_(program.size()) {
  for (size_t i = 0; i < program.size(); ++i) {
    const Register& r = program[static_cast<int>(i)];
    if (r.op == IntOp::Constant) uniform_[i] = r.constant;
  }
}

void IndexValues::prepare() {
  for (size_t i = 0; i < program_.size(); ++i) {
    const Register& r = program_[static_cast<int>(i)];
    if (r.op == IntOp::Constant) {
      ranges_[i] = {r.constant, r.constant};
    } else if (r.op == IntOp::Symbol) {
      if (r.extent >= 0) {
        const int64_t low = r.low >= 0 ? ranges_[static_cast<size_t>(r.low)].low : 0;
        const int64_t end = ranges_[static_cast<size_t>(r.extent)].high;
        ranges_[i] = {low, end > low ? end - 1 : low};
      }
    } else {
      const Range a = ranges_[static_cast<size_t>(r.a)], b = ranges_[static_cast<size_t>(r.b)];
      ranges_[i] = rangeOf(r.op, a, b);
      for (const Range range : {a, b, ranges_[i]}) {
        checked_ |= exceeds(range.low, r.limit) || exceeds(range.high, r.limit);
      }
    }
    checked_ |= ranges_[i] == kAnything;
  }
}

void IndexValues::compute(int scope, size_t lanes) {
  if (checked_) {
    computeScope<true>(scope, lanes);
  } else {
    computeScope<false>(scope, lanes);
  }
}

template <bool kChecked>
void IndexValues::computeScope(int scope, size_t lanes) {
  for (const int r : program_.computedIn(scope)) {
    const Register& reg = program_[r];
    touch(r);
    const auto source = [&](int operand) {
      return Source{program_[operand].varying ? this->lanes(operand) : nullptr, uniform(operand)};
    };
    const Source a = source(reg.a);
    const Source b = source(reg.b);
    const bool division = reg.op == IntOp::FloorDiv || reg.op == IntOp::Mod;
    if (!kChecked && division && a.lanes && !b.lanes && b.value > 0 && b.value < (int64_t{1} << 32) &&
        isSmall(ranges_[static_cast<size_t>(reg.a)])) {
      divideSmall(a.lanes, static_cast<uint64_t>(b.value), reg.op == IntOp::Mod, laneArray(r), lanes);
      continue;
    }
    const auto run = [&]<IntOp kOp>() {
      if (reg.varying) {
        stepLanes<kOp, kChecked>(a, b, reg.limit, laneArray(r), lanes);
      } else {
        uniform_[static_cast<size_t>(r)] = step<kOp, kChecked>(a.value, b.value, reg.limit);
      }
    };
    switch (reg.op) {
      case IntOp::Constant:
      case IntOp::Symbol:
      case IntOp::Meet: break;  // of fusions alone
      case IntOp::Add: run.template operator()<IntOp::Add>(); break;
      case IntOp::Mul: run.template operator()<IntOp::Mul>(); break;
      case IntOp::FloorDiv: run.template operator()<IntOp::FloorDiv>(); break;
      case IntOp::Mod: run.template operator()<IntOp::Mod>(); break;
      case IntOp::Min: run.template operator()<IntOp::Min>(); break;
      case IntOp::Max: run.template operator()<IntOp::Max>(); break;
      case IntOp::Less: run.template operator()<IntOp::Less>(); break;
      case IntOp::Equal: run.template operator()<IntOp::Equal>(); break;
      case IntOp::And: run.template operator()<IntOp::And>(); break;
    }
  }
}

IndexValues::Affine IndexValues::affine(int r, size_t lanes) {
  Fact& fact = facts_[static_cast<size_t>(r)];
  if (fact.version == version(r)) return fact.affine;
  const int64_t* values = this->lanes(r);
  const uint64_t step = lanes < 2 ? 0 : static_cast<uint64_t>(values[1]) - static_cast<uint64_t>(values[0]);
  uint64_t differs = 0;
  for (size_t i = 1; i < lanes && differs == 0;) {
    for (const size_t end = std::min(lanes, i + 64); i < end; ++i) {
      differs |= static_cast<uint64_t>(values[i]) - static_cast<uint64_t>(values[i - 1]) - step;
    }
  }
  fact = {version(r), {differs == 0 && values[0] != kOverflow, static_cast<int64_t>(step)}};
  return fact.affine;
}

}  // namespace fuser::interp
