// The text form of a SegmentedFusion: printing and parsing.

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "fuser/segment/segmented_fusion.h"

namespace fuser {

std::vector<std::string> valueLabels(const Fusion& fusion) {
  const std::vector<Val*> vals = fusion.usedVals();
  std::unordered_map<std::string, int> count;  // look-ups only
  for (const Val* val : vals) ++count[val->name()];
  std::vector<std::string> labels(fusion.valCount());
  for (const Val* val : vals) {
    const bool plain = !val->name().empty() && count[val->name()] == 1;
    labels[val->id()] = plain ? "%" + val->name() : concat("%", val->name(), "@", val->id());
  }
  return labels;
}

namespace {

template <class Range, class Text>
std::string list(const Range& range, const Text& text) {
  std::string out = "{";
  for (const auto& item : range) out += (out.size() > 1 ? ", " : "") + text(item);
  return out + "}";
}

}  // namespace

std::string toString(const SegmentedFusion& segmented) {
  const std::vector<std::string> labels = valueLabels(segmented.completeFusion());
  const auto label = [&](const Val* val) { return labels.at(val->id()); };
  std::unordered_map<const SegmentedGroup*, size_t> index;  // look-ups only
  std::string out = "segmented {\n";
  for (const SegmentedGroup* group : segmented.groups()) {
    const size_t place = index.size();
    index[group] = place;
    out += concat("  group ", place, " ", schedulerTypeName(group->schedulerType()), " ",
                  list(group->exprs(), [&](const Expr* expr) { return label(expr->output()); }), " inputs ",
                  list(group->inputs(), label), " outputs ", list(group->outputs(), label), "\n");
  }
  std::vector<SegmentedEdgePtr> edges = segmented.edges();
  const auto key = [&](const SegmentedEdgePtr& edge) {
    return std::tuple(index.at(edge->from()), index.at(edge->to()), edge->val()->id());
  };
  std::sort(edges.begin(), edges.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  for (const SegmentedEdgePtr& edge : edges) {
    out += concat("  edge ", index.at(edge->from()), " -> ", index.at(edge->to()), " ", label(edge->val()), "\n");
  }
  return out + "}\n";
}

namespace {

class SegmentedParser {
 public:
  SegmentedParser(std::string_view text, const Fusion& fusion) : text_(text) {
    const std::vector<std::string> labels = valueLabels(fusion);
    for (Val* val : fusion.usedVals()) vals_[labels[val->id()]] = val;
    segmented_ = std::make_unique<SegmentedFusion>(fusion);
  }

  std::unique_ptr<SegmentedFusion> parse() {
    expect("segmented");
    expect("{");
    while (!accept("}")) {
      if (accept("group")) {
        parseGroup();
      } else if (accept("edge")) {
        parseEdge();
      } else {
        fail(concat("expected 'group', 'edge' or '}', not '", peek(), "'"));
      }
    }
    if (!peek().empty()) fail(concat("'", peek(), "' after the end"));
    check();
    return std::move(segmented_);
  }

 private:
  struct Boundary {
    SegmentedGroup* group;
    std::vector<Val*> inputs;
    std::vector<Val*> outputs;
  };

  [[noreturn]] void fail(const std::string& what) const {
    const std::string_view before = text_.substr(0, tokenStart_);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const size_t newline = before.rfind('\n');
    const size_t column = newline == std::string_view::npos ? tokenStart_ + 1 : tokenStart_ - newline;
    throwUserError(concat("segmented fusion, line ", line, ", column ", column, ": ", what));
  }

  // The next token: a single { } , or a run of anything else up to a blank.
  std::string_view peek() {
    const std::string_view blanks = " \t\r\n";
    tokenStart_ = std::min(text_.find_first_not_of(blanks, position_), text_.size());
    if (tokenStart_ == text_.size()) return {};
    if (std::string_view("{},").find(text_[tokenStart_]) != std::string_view::npos) return text_.substr(tokenStart_, 1);
    const size_t end = std::min(text_.find_first_of(" \t\r\n{},", tokenStart_), text_.size());
    return text_.substr(tokenStart_, end - tokenStart_);
  }
  std::string_view next() {
    const std::string_view token = peek();
    if (token.empty()) fail("the text ends too early");
    position_ = tokenStart_ + token.size();
    return token;
  }
  bool accept(std::string_view token) {
    if (peek() != token) return false;
    next();
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) fail(concat("expected '", token, "', not '", peek(), "'"));
  }
  size_t number() {
    const std::string_view token = next();
    size_t value = 0;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
    if (error != std::errc() || end != token.data() + token.size())
      fail(concat("expected a number, not '", token, "'"));
    return value;
  }
  Val* val() {
    const std::string token(next());
    const auto found = vals_.find(token);
    if (found == vals_.end()) fail(concat("the fusion has no value '", token, "'"));
    return found->second;
  }
  std::vector<Val*> valList() {
    std::vector<Val*> vals;
    expect("{");
    if (accept("}")) return vals;
    do vals.push_back(val());
    while (accept(","));
    expect("}");
    return vals;
  }
  SegmentedGroup* group() {
    const size_t index = number();
    if (index >= groups_.size()) fail(concat("there is no group ", index));
    return groups_[index].group;
  }

  std::vector<Expr*> exprList() {
    std::vector<Expr*> exprs;
    expect("{");
    do {
      const Val* result = val();
      Expr* expr = result->definition();
      if (!expr || expr->output() != result) fail("an expression is named by its first result");
      if (segmented_->groupOf(expr) || std::count(exprs.begin(), exprs.end(), expr)) fail("it is in a group already");
      if (!isLive(expr)) fail("no output of the fusion needs it");
      if (!exprs.empty() && exprs.front()->isScalarExpr() != expr->isScalarExpr())
        fail("scalars and tensors in one group");
      exprs.push_back(expr);
    } while (accept(","));
    expect("}");
    return exprs;
  }
  bool isLive(const Expr* expr) const {
    const std::vector<Expr*>& live = segmented_->liveExprs();
    return std::find(live.begin(), live.end(), expr) != live.end();
  }

  void parseGroup() {
    if (number() != groups_.size()) fail(concat("expected group ", groups_.size()));
    const std::optional<SchedulerType> type = schedulerTypeFromName(next());
    if (!type) fail("unknown scheduler");
    SegmentedGroup* group = segmented_->newGroup(exprList());
    segmented_->setSchedulerType(group, *type);
    Boundary boundary{group, {}, {}};
    expect("inputs");
    boundary.inputs = valList();
    expect("outputs");
    boundary.outputs = valList();
    groups_.push_back(std::move(boundary));
  }

  void parseEdge() {
    SegmentedGroup* from = group();
    expect("->");
    SegmentedGroup* to = group();
    Val* crossing = val();
    const std::vector<SegmentedGroup*> consumers = segmented_->consumersOf(crossing);
    const bool reads = std::find(consumers.begin(), consumers.end(), to) != consumers.end();
    if (from == to || segmented_->producerOf(crossing) != from || !reads) fail("the value does not cross there");
    segmented_->connectGroups(from, to, crossing);
  }

  void check() {
    const std::vector<std::string> broken = findBrokenInvariants(*segmented_);
    if (!broken.empty()) fail(broken.front());
    segmented_->finalize();
    for (size_t i = 0; i < groups_.size(); ++i) {
      if (groups_[i].group->index() != static_cast<int>(i)) fail("the groups are in another order than they run");
      if (groups_[i].inputs != groups_[i].group->inputs().vector()) fail(concat("group ", i, " has other inputs"));
      if (groups_[i].outputs != groups_[i].group->outputs().vector()) fail(concat("group ", i, " has other outputs"));
    }
  }

  std::string_view text_;
  size_t position_ = 0;
  size_t tokenStart_ = 0;
  std::unordered_map<std::string, Val*> vals_;  // look-ups only
  std::unique_ptr<SegmentedFusion> segmented_;
  std::vector<Boundary> groups_;
};

}  // namespace

std::unique_ptr<SegmentedFusion> parseSegmentedFusion(std::string_view text, const Fusion& fusion) {
  return SegmentedParser(text, fusion).parse();
}

}  // namespace fuser
