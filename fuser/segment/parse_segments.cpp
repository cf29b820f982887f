// Parses the text form of a segmentation, first without validation, then with it.
#include <algorithm>
#include <unordered_map>

#include "fuser/segment/invariants.h"
#include "fuser/segment/segmented_text.h"
#include "fuser/segment/unchecked_segments.h"
#include "fuser/segment/value_view.h"
#include "fuser/tokens/literals.h"

namespace fuser {

namespace {

// The grammar of labels: a label may contain the value's id: "%x@7".
constexpr TokenRules kTokenRules = {
    .punctuation = "{},", .pairs = {"->"}, .values = true, .valueBytes = "@", .errors = ErrorPlace::Column};

class SegmentedParser {
 public:
  SegmentedParser(std::string_view text, const Fusion& fusion)
      : tokens_(text, "segmented fusion", kTokenRules),
        end_{TokenKind::End, {}, text.size()},
        fusion_(fusion),
        values_(fusion),
        taken_(fusion.exprIdCount(), false) {
    const std::vector<std::string> labels = valueLabels(fusion);
    for (Val* val : fusion.usedVals()) vals_[labels[val->id()].substr(1)] = val;
  }

  const SegmentsDescription& parse() {
    tokens_.expect("segmented");
    tokens_.expect("{");
    while (!tokens_.accept("}")) {
      if (tokens_.accept("group")) {
        parseGroup();
      } else if (tokens_.accept("edge")) {
        parseEdge();
      } else {
        tokens_.failExpected("'group', 'edge' or '}'");
      }
    }
    tokens_.expect(TokenKind::End, "the end of the text");
    checkCopies();
    return description_;
  }

  // Validates the parsed segmentation and returns it.
  std::unique_ptr<SegmentedFusion> verified() {
    for (const SegmentsDescription::Group& group : description_.groups) {
      const auto isScalar = [](const Expr* copy) { return copy->isScalarExpr(); };
      if (std::any_of(group.copies.begin(), group.copies.end(), isScalar)) {
        tokens_.fail(end_, "a host scalar is computed once");
      }
    }
    auto segmented = buildUnchecked(fusion_, SegmentsDescription{description_.groups, {}});
    connectAll(*segmented);
    const std::vector<SegmentedGroup*> groups = segmented->groups();
    for (size_t i = 0; i < groups.size(); ++i) {
      if (description_.groups[i].inputs != segmented->inputsOf(groups[i]->exprs())) {
        tokens_.fail(end_, "group ", i, " has other inputs");
      }
      if (description_.groups[i].outputs != segmented->outputsOf(groups[i]->exprs())) {
        tokens_.fail(end_, "group ", i, " has other outputs");
      }
    }
    const std::vector<std::string> broken = findBrokenInvariants(*segmented);
    if (!broken.empty()) tokens_.fail(end_, broken.front());
    segmented->finalize();
    if (segmented->groups() != groups) tokens_.fail(end_, "the groups are in another order than they run");
    return segmented;
  }

 private:
  // Throws a UserError at the last token taken.
  template <class... Args>
  [[noreturn]] void fail(const Args&... args) const {
    tokens_.fail(tokens_.lastToken(), args...);
  }

  Val* val() {
    const std::string name(tokens_.expect(TokenKind::Value, "a value").text);
    const auto found = vals_.find(name);
    if (found == vals_.end()) fail("the fusion has no value '%", name, "'");
    return found->second;
  }
  std::vector<Val*> valList() {
    std::vector<Val*> vals;
    tokens_.expect("{");
    if (tokens_.accept("}")) return vals;
    do vals.push_back(val());
    while (tokens_.accept(","));
    tokens_.expect("}");
    return vals;
  }
  size_t group() {
    const uint64_t index = readUnsigned(tokens_);
    if (index >= description_.groups.size()) fail("there is no group ", index);
    return index;
  }

  std::vector<Expr*> exprList() {
    std::vector<Expr*> exprs;
    tokens_.expect("{");
    do {
      const Val* result = val();
      Expr* expr = result->definition();
      if (!expr || expr->output() != result) fail("an expression is named by its first result");
      if (std::count(exprs.begin(), exprs.end(), expr)) fail("it is in a group already");
      if (!values_.isLive(expr)) fail("no output of the fusion needs it");
      exprs.push_back(expr);
    } while (tokens_.accept(","));
    tokens_.expect("}");
    return exprs;
  }

  void parseGroup() {
    if (readUnsigned(tokens_) != description_.groups.size()) fail("expected group ", description_.groups.size());
    SegmentsDescription::Group description;
    const Token name = tokens_.expect(TokenKind::Identifier, "a scheduler");
    const std::optional<SchedulerType> type = schedulerTypeFromName(name.text);
    if (!type) fail("unknown scheduler");
    description.type = *type;
    description.exprs = exprList();
    const Token afterExprs = tokens_.lastToken();
    if (tokens_.accept("copies")) description.copies = exprList();
    for (const Expr* copy : description.copies) {
      if (std::erase(description.exprs, copy) == 0) fail("the group does not compute what it has a copy of");
    }
    if (description.exprs.empty()) tokens_.fail(afterExprs, "a group has an expression of its own");
    for (const Expr* expr : description.exprs) {
      if (expr->isScalarExpr() != description.exprs.front()->isScalarExpr()) {
        tokens_.fail(afterExprs, "scalars and tensors in one group");
      }
      if (taken_[expr->id()]) tokens_.fail(afterExprs, "it is in a group already");
      taken_[expr->id()] = true;
    }
    tokens_.expect("inputs");
    description.inputs = valList();
    tokens_.expect("outputs");
    description.outputs = valList();
    description_.groups.push_back(std::move(description));
  }

  void parseEdge() {
    const size_t from = group();
    tokens_.expect("->");
    const size_t to = group();
    Val* crossing = val();
    edgePlaces_.push_back(tokens_.lastToken());
    description_.edges.push_back({from, to, crossing});
  }

  void checkCopies() {
    for (const SegmentsDescription::Group& group : description_.groups) {
      for (const Expr* copy : group.copies) {
        if (!taken_[copy->id()]) {
          tokens_.fail(end_, "%", copy->output()->name(), " is copied and in no group of its own");
        }
      }
    }
  }

  // Creates the edges through the checked interface, now that all groups and copies are known.
  void connectAll(SegmentedFusion& segmented) {
    const std::vector<SegmentedGroup*> groups = segmented.groups();
    for (size_t i = 0; i < description_.edges.size(); ++i) {
      Val* val = description_.edges[i].val;
      SegmentedGroup* from = groups[description_.edges[i].from];
      SegmentedGroup* to = groups[description_.edges[i].to];
      const std::vector<SegmentedGroup*> consumers = segmented.consumersOf(val);
      const bool reads = std::find(consumers.begin(), consumers.end(), to) != consumers.end();
      const bool isProduced = from != to && segmented.producerOf(val) == from;
      if (!isProduced || !reads || segmented.computes(to, val->definition())) {
        tokens_.fail(edgePlaces_[i], "the value does not cross there");
      }
      segmented.connectGroups(from, to, val);
    }
  }

  TokenReader tokens_;
  const Token end_;
  const Fusion& fusion_;
  const ValueView values_;
  std::unordered_map<std::string, Val*> vals_;  // look-ups only
  std::vector<bool> taken_;                     // by expression id: some group's own
  SegmentsDescription description_;
  std::vector<Token> edgePlaces_;  // in the text
};

}  // namespace

std::unique_ptr<SegmentedFusion> parseUnchecked(std::string_view text, const Fusion& fusion) {
  return buildUnchecked(fusion, SegmentedParser(text, fusion).parse());
}

std::unique_ptr<SegmentedFusion> parseSegmentedFusion(std::string_view text, const Fusion& fusion) {
  SegmentedParser parser(text, fusion);
  parser.parse();
  return parser.verified();
}

}  // namespace fuser
