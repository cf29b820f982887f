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
  const auto exprLabel = [&](const Expr* expr) { return label(expr->output()); };
  const auto copiesText = [&](const SegmentedGroup* group) {
    std::vector<const Expr*> copies;
    for (const Expr* expr : group->exprs()) {
      if (segmented.groupOf(expr) != group) copies.push_back(expr);
    }
    return copies.empty() ? "" : " copies " + list(copies, exprLabel);
  };
  // The place of a value among all: by what makes it.
  const auto placeOf = [&](const Val* val) {
    const Expr* definition = val->definition();
    const auto output = std::find(definition->outputs().begin(), definition->outputs().end(), val);
    return std::pair(segmented.position(definition), output - definition->outputs().begin());
  };
  std::unordered_map<const SegmentedGroup*, size_t> index;  // look-ups only
  std::string out = "segmented {\n";
  for (const SegmentedGroup* group : segmented.groups()) {
    const size_t place = index.size();
    index[group] = place;
    out += concat("  group ", place, " ", schedulerTypeName(group->schedulerType()), " ",
                  list(group->exprs(), exprLabel), copiesText(group), " inputs ",
                  list(group->inputs(), label), " outputs ", list(group->outputs(), label), "\n");
  }
  std::vector<SegmentedEdgePtr> edges = segmented.edges();
  const auto key = [&](const SegmentedEdgePtr& edge) {
    return std::tuple(index.at(edge->from()), index.at(edge->to()), placeOf(edge->val()));
  };
  std::sort(edges.begin(), edges.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  for (const SegmentedEdgePtr& edge : edges) {
    out += concat("  edge ", index.at(edge->from()), " -> ", index.at(edge->to()), " ", label(edge->val()), "\n");
  }
  return out + "}\n";
}

namespace {

// With what only damage needs.
struct ToldSegmentedFusion : SegmentedFusion {
  using SegmentedFusion::SegmentedFusion;
  using SegmentedFusion::addCopiesUnchecked;
  using SegmentedFusion::addEdgeUnchecked;
  using SegmentedFusion::setBoundaryUnchecked;
};

class SegmentedParser {
 public:
  SegmentedParser(std::string_view text, const Fusion& fusion, bool verify) : text_(text), verify_(verify) {
    const std::vector<std::string> labels = valueLabels(fusion);
    for (Val* val : fusion.usedVals()) vals_[labels[val->id()]] = val;
    segmented_ = std::make_unique<ToldSegmentedFusion>(fusion);
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
    if (verify_) {
      check();
    } else {
      keepAsTold();
    }
    return std::move(segmented_);
  }

 private:
  struct Boundary {
    SegmentedGroup* group;
    std::vector<Expr*> copies;
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
      if (std::count(exprs.begin(), exprs.end(), expr)) fail("it is in a group already");
      if (segmented_->position(expr) < 0) fail("no output of the fusion needs it");
      if (!exprs.empty() && exprs.front()->isScalarExpr() != expr->isScalarExpr())
        fail("scalars and tensors in one group");
      exprs.push_back(expr);
    } while (accept(","));
    expect("}");
    return exprs;
  }

  void parseGroup() {
    if (number() != groups_.size()) fail(concat("expected group ", groups_.size()));
    const std::optional<SchedulerType> type = schedulerTypeFromName(next());
    if (!type) fail("unknown scheduler");
    Boundary boundary;
    std::vector<Expr*> own = exprList();
    const size_t afterExprs = tokenStart_;
    if (accept("copies")) boundary.copies = exprList();
    for (const Expr* copy : boundary.copies) {
      if (std::erase(own, copy) == 0) fail("the group does not compute what it has a copy of");
    }
    tokenStart_ = afterExprs;
    if (own.empty()) fail("a group has an expression of its own");
    for (const Expr* expr : own) {
      if (segmented_->groupOf(expr)) fail("it is in a group already");
    }
    boundary.group = segmented_->newGroup(own);
    segmented_->setSchedulerType(boundary.group, *type);
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
    edges_.push_back({tokenStart_, from, to, crossing});
  }

  // Groups are known, copies too: edges can be judged.
  void connectAll() {
    for (const Edge& edge : edges_) {
      tokenStart_ = edge.place;
      const std::vector<SegmentedGroup*> consumers = segmented_->consumersOf(edge.val);
      const bool reads = std::find(consumers.begin(), consumers.end(), edge.to) != consumers.end();
      const bool made = edge.from != edge.to && segmented_->producerOf(edge.val) == edge.from;
      if (!made || !reads || segmented_->computes(edge.to, edge.val->definition())) fail("the value does not cross there");
      segmented_->connectGroups(edge.from, edge.to, edge.val);
    }
  }

  void check() {
    const size_t end = tokenStart_;
    for (const Boundary& boundary : groups_) segmented_->addCopiesUnchecked(boundary.group, boundary.copies);
    connectAll();
    tokenStart_ = end;
    const std::vector<std::string> broken = findBrokenInvariants(*segmented_);
    if (!broken.empty()) fail(broken.front());
    segmented_->finalize();
    for (size_t i = 0; i < groups_.size(); ++i) {
      if (groups_[i].group->index() != static_cast<int>(i)) fail("the groups are in another order than they run");
      if (groups_[i].inputs != groups_[i].group->inputs().vector()) fail(concat("group ", i, " has other inputs"));
      if (groups_[i].outputs != groups_[i].group->outputs().vector()) fail(concat("group ", i, " has other outputs"));
    }
  }

  void keepAsTold() {
    for (const Boundary& boundary : groups_) {
      segmented_->addCopiesUnchecked(boundary.group, boundary.copies);
      segmented_->setBoundaryUnchecked(boundary.group, boundary.inputs, boundary.outputs);
    }
    for (const Edge& edge : edges_) segmented_->addEdgeUnchecked(edge.from, edge.to, edge.val);
  }

  struct Edge {
    size_t place;  // in the text
    SegmentedGroup* from;
    SegmentedGroup* to;
    Val* val;
  };

  std::string_view text_;
  bool verify_;
  size_t position_ = 0;
  size_t tokenStart_ = 0;
  std::unordered_map<std::string, Val*> vals_;  // look-ups only
  std::unique_ptr<ToldSegmentedFusion> segmented_;
  std::vector<Boundary> groups_;
  std::vector<Edge> edges_;
};

}  // namespace

std::unique_ptr<SegmentedFusion> parseSegmentedFusion(std::string_view text, const Fusion& fusion, bool verify) {
  return SegmentedParser(text, fusion, verify).parse();
}

}  // namespace fuser
