// Text -> a segmentation: as it says, then judged.
#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "fuser/segment/invariants.h"
#include "fuser/segment/segmented_text.h"
#include "fuser/segment/told_segments.h"
#include "fuser/segment/value_view.h"

namespace fuser {

namespace {

class SegmentedParser {
 public:
  SegmentedParser(std::string_view text, const Fusion& fusion)
      : text_(text), fusion_(fusion), values_(fusion), taken_(fusion.exprIdCount(), false) {
    const std::vector<std::string> labels = valueLabels(fusion);
    for (Val* val : fusion.usedVals()) vals_[labels[val->id()]] = val;
  }

  const ToldSegments& parse() {
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
    checkCopies();
    return told_;
  }

  // What was parsed, where it is sound.
  std::unique_ptr<SegmentedFusion> verified() {
    const size_t end = tokenStart_;
    for (const ToldSegments::Group& group : told_.groups) {
      const auto isScalar = [](const Expr* copy) { return copy->isScalarExpr(); };
      if (std::any_of(group.copies.begin(), group.copies.end(), isScalar)) fail("a host scalar is computed once");
    }
    auto segmented = segmentAsTold(fusion_, ToldSegments{told_.groups, {}});
    connectAll(*segmented);
    tokenStart_ = end;
    const std::vector<SegmentedGroup*> groups = segmented->groups();
    for (size_t i = 0; i < groups.size(); ++i) {
      if (told_.groups[i].inputs != segmented->inputsOf(groups[i]->exprs())) {
        fail(concat("group ", i, " has other inputs"));
      }
      if (told_.groups[i].outputs != segmented->outputsOf(groups[i]->exprs())) {
        fail(concat("group ", i, " has other outputs"));
      }
    }
    const std::vector<std::string> broken = findBrokenInvariants(*segmented);
    if (!broken.empty()) fail(broken.front());
    segmented->finalize();
    if (segmented->groups() != groups) fail("the groups are in another order than they run");
    return segmented;
  }

 private:
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
  size_t group() {
    const size_t index = number();
    if (index >= told_.groups.size()) fail(concat("there is no group ", index));
    return index;
  }

  std::vector<Expr*> exprList() {
    std::vector<Expr*> exprs;
    expect("{");
    do {
      const Val* result = val();
      Expr* expr = result->definition();
      if (!expr || expr->output() != result) fail("an expression is named by its first result");
      if (std::count(exprs.begin(), exprs.end(), expr)) fail("it is in a group already");
      if (!values_.isLive(expr)) fail("no output of the fusion needs it");
      exprs.push_back(expr);
    } while (accept(","));
    expect("}");
    return exprs;
  }

  void parseGroup() {
    if (number() != told_.groups.size()) fail(concat("expected group ", told_.groups.size()));
    ToldSegments::Group told;
    const std::optional<SchedulerType> type = schedulerTypeFromName(next());
    if (!type) fail("unknown scheduler");
    told.type = *type;
    told.exprs = exprList();
    const size_t afterExprs = tokenStart_;
    if (accept("copies")) told.copies = exprList();
    for (const Expr* copy : told.copies) {
      if (std::erase(told.exprs, copy) == 0) fail("the group does not compute what it has a copy of");
    }
    tokenStart_ = afterExprs;
    if (told.exprs.empty()) fail("a group has an expression of its own");
    for (const Expr* expr : told.exprs) {
      if (expr->isScalarExpr() != told.exprs.front()->isScalarExpr()) fail("scalars and tensors in one group");
      if (taken_[expr->id()]) fail("it is in a group already");
      taken_[expr->id()] = true;
    }
    expect("inputs");
    told.inputs = valList();
    expect("outputs");
    told.outputs = valList();
    told_.groups.push_back(std::move(told));
  }

  void parseEdge() {
    const size_t from = group();
    expect("->");
    const size_t to = group();
    Val* crossing = val();
    edgePlaces_.push_back(tokenStart_);
    told_.edges.push_back({from, to, crossing});
  }

  void checkCopies() {
    for (const ToldSegments::Group& group : told_.groups) {
      for (const Expr* copy : group.copies) {
        if (!taken_[copy->id()]) fail(concat("%", copy->output()->name(), " is copied and in no group of its own"));
      }
    }
  }

  // Groups are known, copies too: edges can be judged. Each is connected as anybody would.
  void connectAll(SegmentedFusion& segmented) {
    const std::vector<SegmentedGroup*> groups = segmented.groups();
    for (size_t i = 0; i < told_.edges.size(); ++i) {
      tokenStart_ = edgePlaces_[i];
      Val* val = told_.edges[i].val;
      SegmentedGroup* from = groups[told_.edges[i].from];
      SegmentedGroup* to = groups[told_.edges[i].to];
      const std::vector<SegmentedGroup*> consumers = segmented.consumersOf(val);
      const bool reads = std::find(consumers.begin(), consumers.end(), to) != consumers.end();
      const bool made = from != to && segmented.producerOf(val) == from;
      if (!made || !reads || segmented.computes(to, val->definition())) fail("the value does not cross there");
      segmented.connectGroups(from, to, val);
    }
  }

  std::string_view text_;
  const Fusion& fusion_;
  const ValueView values_;
  size_t position_ = 0;
  size_t tokenStart_ = 0;
  std::unordered_map<std::string, Val*> vals_;  // look-ups only
  std::vector<bool> taken_;                     // by expression id: some group's own
  ToldSegments told_;
  std::vector<size_t> edgePlaces_;  // in the text
};

}  // namespace

std::unique_ptr<SegmentedFusion> parseAsTold(std::string_view text, const Fusion& fusion) {
  return segmentAsTold(fusion, SegmentedParser(text, fusion).parse());
}

std::unique_ptr<SegmentedFusion> parseSegmentedFusion(std::string_view text, const Fusion& fusion) {
  SegmentedParser parser(text, fusion);
  parser.parse();
  return parser.verified();
}

}  // namespace fuser
