// Forwarding, privatisation, the merge rules one by one, top-down, and the classic cases, with the real schedulers
// unless a case needs other ones.

#include <gtest/gtest.h>

#include "fuser/segment/invariants.h"
#include "fuser/segment/segmented_text.h"
#include "tests/fuser/segment/explained.h"

namespace fuser {
namespace {

// --- forwarding ---

TEST(ForwardInputsTest, StopsBeforeABinaryOp) {
  const Explained result =
      segmentReal(function("%x: bf16[i0, i1], %y: f32[i0, i1]",
                           "  %a = cast(%x) {dtype = f32}\n  %b = neg(%a)\n  %c = add(%b, %y)\n"
                           "  %s = sum(%c) {dims = [0], keepdim = true}\n  %d = sub(%c, %s)\n  return %d\n"));
  EXPECT_EQ(result.counters.forwarded, 2u);  // %a and %b, not %c
}

TEST(ForwardInputsTest, StopsBeforeAnOutput) {
  const Explained result = segmentReal(
      function("%x: bf16[i0, i1]",
               "  %a = cast(%x) {dtype = f32}\n  %b = neg(%a)\n  %s = sum(%b) {dims = [0], keepdim = true}\n"
               "  %d = sub(%b, %s)\n  return %d, %b\n"));
  EXPECT_EQ(result.counters.forwarded, 1u);  // %a: %b is stored anyway
  EXPECT_FALSE(result.segments->isPrivatized(result.val("b")->definition()));
}

TEST(ForwardInputsTest, TwoConsumersComputeTheChainEach) {
  const Explained result = segmentReal(
      function("%x: bf16[i0, i1]",
               "  %a = cast(%x) {dtype = f32}\n  %b = neg(%a)\n  %s = sum(%b) {dims = [0], keepdim = true}\n"
               "  %d = sub(%b, %s)\n  return %d\n"));
  ASSERT_EQ(result.segments->groups().size(), 2u);
  for (const SegmentedGroup* group : result.segments->groups()) {
    EXPECT_TRUE(result.segments->computes(group, result.val("a")->definition()));
    EXPECT_TRUE(result.segments->computes(group, result.val("b")->definition()));
    EXPECT_TRUE(group->inputs().contains(result.val("x")));
  }
  EXPECT_TRUE(result.segments->isPrivatized(result.val("b")->definition()));
  // The one edge carries the sum.
  ASSERT_EQ(result.segments->edges().size(), 1u);
  EXPECT_FALSE(result.segments->edges()[0]->val()->as<TensorView>()->dtype() == DataType::BFloat16);
  const std::string text = toString(*result.segments);
  EXPECT_NE(text.find("} copies {%a, %b} inputs"), std::string::npos) << text;
  EXPECT_EQ(toString(*parseSegmentedFusion(text, *result.fusion)), text);
}

// %c0 … %c(length - 1) on %x; the last is read by %y, with another input.
std::string chainOf(size_t length) {
  std::string body;
  for (size_t i = 0; i < length; ++i) {
    body += concat("  %c", i, " = neg(%", i == 0 ? std::string("x") : concat("c", i - 1), ")\n");
  }
  return function("%x: f32[i0], %w: f32[i0]", concat(body, "  %y = add(%c", length - 1, ", %w)\n  return %y\n"));
}

TEST(ForwardInputsTest, ForwardsTheLongestPrefixThatASchedulerAccepts) {
  for (size_t most : {1, 2, 5, 7, 8, 9}) {
    const Explained result = segmentWith(chainOf(8), FakeSchedulers(atMost(most)), bottomUp());
    EXPECT_EQ(result.counters.forwarded, std::min<size_t>(most - 1, 8)) << most;
  }
}

TEST(ForwardInputsTest, AsksAboutALongChainInLinearTime) {
  constexpr size_t kLength = 400;
  size_t asked = 0;  // expressions, over all questions
  const FakeSchedulers schedulers([&](const FusionView& view) {
    asked += view.exprs.size();
    return std::string();
  });
  const Explained result = segmentWith(chainOf(kLength), schedulers, bottomUp());
  EXPECT_EQ(result.counters.forwarded, kLength);
  EXPECT_LT(asked, 4 * kLength);
}

TEST(ForwardInputsTest, StopsWhereAValueHasTwoReaders) {
  const Explained result = segmentReal(
      function("%x: f32[i0, i1]",
               "  %a = exp(%x)\n  %b = neg(%a)\n  %c = log(%a)\n  %s = sum(%b) {dims = [0], keepdim = true}\n"
               "  %d = sub(%c, %s)\n  return %d\n"));
  EXPECT_EQ(result.counters.forwarded, 1u);  // %a; each reader of it goes its own way
}

// --- privatisation ---

const char kWidened[] =
    "fusion f(%x: bf16[i0, i1], %y: bf16[i0, i1]) {\n  %a = add(%x, %y)\n  %w = cast(%a) {dtype = f32}\n"
    "  %s = sum(%w) {dims = [0], keepdim = true}\n  %d = sub(%w, %s)\n  return %d\n}\n";

TEST(PrivatizeTest, AWideningCastIsComputedByEachReaderAndItsOperandCrosses) {
  const Explained result = segmentReal(kWidened);
  EXPECT_EQ(result.counters.privatized, 1u);
  EXPECT_EQ(result.counters.privatizationsUndone, 0u);
  EXPECT_TRUE(result.segments->isPrivatized(result.val("w")->definition()));
  EXPECT_TRUE(result.groupOf("a")->outputs().contains(result.val("a")));  // 16 bits cross, not 32
}

TEST(PrivatizeTest, ANarrowingCastIsComputedOnceIfCopiesDoNotPay) {
  const Explained result = segmentReal(
      function("%x: f32[i0, i1], %y: f32[i0, i1]",
               "  %a = add(%x, %y)\n  %h = cast(%a) {dtype = bf16}\n  %s = sum(%h) {dims = [0], keepdim = true}\n"
               "  %d = sub(%h, %s)\n  return %d\n"));
  EXPECT_EQ(result.counters.privatized, 1u);
  EXPECT_EQ(result.counters.privatizationsUndone, 1u);
  EXPECT_FALSE(result.segments->isPrivatized(result.val("h")->definition()));
  EXPECT_EQ(result.groupOf("h"), result.groupOf("a"));
}

TEST(PrivatizeTest, ReadersThatBecomeOneGroupKeepOneCopy) {
  const Explained result =
      segmentReal(function("%x: bf16[i0, i1], %y: bf16[i0, i1]",
                           "  %a = add(%x, %y)\n  %w = cast(%a) {dtype = f32}\n  %b = exp(%w)\n  %c = log(%w)\n"
                           "  %s = sum(%b) {dims = [1]}\n  %t = sum(%c) {dims = [1]}\n  return %s, %t\n"),
                  bottomUp());
  EXPECT_EQ(result.counters.privatized, 1u);
  EXPECT_EQ(result.counters.privatizationsUndone, 0u);
  EXPECT_EQ(result.counters.privatizationsMerged, 1u);
  EXPECT_EQ(result.segments->groups().size(), 1u);
}

TEST(PrivatizeTest, ValuesAreMadeAndReadTheSameAfterUndoing) {
  Segmented singly = singles(kWidened);
  SegmentedFusion& segments = *singly.segments;
  Expr* cast = singly.val("w")->definition();
  const std::string before = toString(segments);
  SegmentedGroup* maker = singly.groupOf("a");
  segments.privatize(cast);
  segments.finalize();
  EXPECT_EQ(findBrokenInvariants(segments), std::vector<std::string>{});
  EXPECT_EQ(segments.groupsOf(cast).size(), 2u);
  EXPECT_THROW(segments.privatize(cast), CheckError);
  segments.computeOnce(cast, maker);
  segments.finalize();
  EXPECT_EQ(findBrokenInvariants(segments), std::vector<std::string>{});
  EXPECT_EQ(singly.groupOf("w"), maker);
  EXPECT_THROW(segments.computeOnce(cast, maker), CheckError);
  EXPECT_THROW(segments.privatize(singly.val("d")->definition()), CheckError);  // an output
}

TEST(PrivatizeTest, AChainOfCopiesFollowsItsReaders) {
  Segmented singly = singles(
      "fusion f(%x: bf16[i0]) {\n  %a = cast(%x) {dtype = f32}\n  %b = neg(%a)\n  %c = exp(%b)\n  %d = log(%b)\n"
      "  return %c, %d\n}\n");
  SegmentedFusion& segments = *singly.segments;
  Expr* a = singly.val("a")->definition();
  Expr* b = singly.val("b")->definition();
  segments.privatize(b);
  segments.privatize(a);
  EXPECT_TRUE(segments.computes(singly.groupOf("c"), a));
  EXPECT_TRUE(segments.computes(singly.groupOf("d"), a));
  segments.computeOnce(b, singly.groupOf("c"));
  EXPECT_FALSE(segments.computes(singly.groupOf("d"), a));  // no use for it without b
  segments.finalize();
  EXPECT_EQ(findBrokenInvariants(segments), std::vector<std::string>{});
}

// --- the rules ---

// Takes what holds at most so many tensor ops; no top-down.
Explained segmentSmall(const std::string& text, size_t exprs) {
  return segmentWith(text, FakeSchedulers(atMost(exprs)), bottomUp());
}

TEST(PreferredMergesTest, AnOpThatEnlargesItsOperandMergesWithItsReader) {
  const Explained result =
      segmentSmall(function("%x: f32[i0], %y: f32[i0, i1]",
                            "  %a = add(%x, %x)\n  %u = unsqueeze(%a) {dims = [1]}\n  %b = mul(%u, %y)\n  return %b\n"),
                   2);
  EXPECT_EQ(result.groups(), "a | u b");
}

TEST(PreferredMergesTest, AnOpThatShrinksItsOperandMergesWithItsProducer) {
  const Explained result =
      segmentSmall(function("%x: f32[i0, 1], %y: f32[i0]",
                            "  %a = add(%x, %x)\n  %q = squeeze(%a) {dims = [1]}\n  %b = mul(%q, %y)\n  return %b\n"),
                   2);
  EXPECT_EQ(result.groups(), "a q | b");
}

TEST(PreferredMergesTest, APadMergesWithItsReader) {
  const std::string text =
      function("%x: f32[i0]",
               "  %a = mul(%x, %x)\n  %m = segment_set(%a)\n  %p = pad(%m) {pad = [1, 1], value = 0.0}\n"
               "  %q = neg(%p)\n"
               "  %s = sum(%q)\n  return %s, %m\n");
  const Explained result = segmentSmall(text, 2);
  EXPECT_EQ(result.groupOf("p"), result.groupOf("q")) << result.groups();
  const Explained real = segmentReal(text, bottomUp());
  EXPECT_GE(real.counters.merges.at(0).second, 1u);
  EXPECT_NE(real.groupOf("m"), real.groupOf("p"));  // a pad must find its operand in memory
}

TEST(PreferredMergesTest, ASelectIsItsSliceWithItsSqueeze) {
  const std::string text =
      function("%x: f32[4, i1], %y: f32[i1]",
               "  %a = mul(%x, %x)\n  %m = segment_set(%a)\n  %l = slice(%m) {dim = 0, start = 1, end = 2}\n"
               "  %q = squeeze(%l) {dims = [0]}\n  %b = mul(%q, %y)\n  return %b\n");
  EXPECT_EQ(segmentSmall(text, 2).groups(), "a m | l q | b");
  const Explained real = segmentReal(text, bottomUp());
  EXPECT_EQ(real.groupOf("l"), real.groupOf("q"));
  EXPECT_NE(real.groupOf("m"), real.groupOf("l"));
}

TEST(CombineReductionsTest, AlongAPathWithAllBetween) {
  const Explained result = segmentSmall(function("%x: f32[i0, i1], %y: f32[i0, i1]",
                                                 "  %m = amax(%x) {dims = [1], keepdim = true}\n  %d = sub(%y, %m)\n"
                                                 "  %t = sum(%d) {dims = [1]}\n  %p = neg(%t)\n  return %p\n"),
                                        4);
  // amax, its unsqueeze, sub and sum: with a scheduler that takes four, from one reduction to the other.
  EXPECT_EQ(result.groupOf("d"), result.groupOf("t"));
  EXPECT_EQ(result.groupOf("m"), result.groupOf("t"));
  EXPECT_NE(result.groupOf("p"), result.groupOf("t"));
  EXPECT_EQ(result.counters.merges.at(1).first, "CombineReductions");
  EXPECT_GE(result.counters.merges.at(1).second, 2u);
}

TEST(CombineReductionsTest, SideBySideWithoutACommonInput) {
  const Explained result =
      segmentSmall(function("%x: f32[i0, i1], %y: f32[i0, i1]",
                            "  %s = sum(%x) {dims = [1]}\n  %t = sum(%y) {dims = [1]}\n  %u = sum(%x) {dims = [0]}\n"
                            "  return %s, %t, %u\n"),
                   2);
  EXPECT_EQ(result.groups(), "s t | u");  // %u has another signature, and shares %x with %s
}

TEST(CombineReductionsTest, TheRealSchedulerTakesReductionsOfOneShapeSideBySide) {
  const std::string text =
      function("%x: f32[i0, i1], %y: f32[i0, i1]",
               "  %a = exp(%x)\n  %b = segment_set(%a)\n  %c = neg(%y)\n  %d = segment_set(%c)\n"
               "  %s = sum(%b) {dims = [0]}\n  %e = mul(%d, %d)\n  %t = amax(%e) {dims = [0]}\n  %u = exp(%t)\n"
               "  return %s, %u\n");
  for (bool topDown : {true, false}) {
    SegmentCandidateFinderOptions options;
    options.topDown = topDown;
    const Explained result = segmentReal(text, options);
    EXPECT_EQ(result.groupOf("s"), result.groupOf("t")) << toString(*result.segments);
    EXPECT_EQ(result.groupOf("s"), result.groupOf("u"));
    EXPECT_EQ(result.groupOf("s")->schedulerType(), SchedulerType::Reduction);
    EXPECT_EQ(result.counters.kernels, 3u);
  }
  // Other extents are other loops.
  const Explained apart =
      segmentReal(function("%x: f32[i0, i1], %y: f32[i1, i0]",
                           "  %s = sum(%x) {dims = [0]}\n  %t = sum(%y) {dims = [0]}\n  return %s, %t\n"));
  EXPECT_NE(apart.groupOf("s"), apart.groupOf("t"));
}

TEST(SiblingMergesTest, MergeOnlyIfThatSavesAKernel) {
  const std::string text =
      function("%x: f32[i0], %w: f32[i0]", "  %a = exp(%x)\n  %b = log(%x)\n  %c = neg(%w)\n  return %a, %b, %c\n");
  EXPECT_EQ(segmentSmall(text, 2).groups(), "a b | c");
  // Empty results need no kernel: nothing to save.
  class Idle : public FakeSchedulers {
   public:
    using FakeSchedulers::FakeSchedulers;
    SchedulerAnswer accepts(const FusionView& view) const override {
      SchedulerAnswer answer = FakeSchedulers::accepts(view);
      if (answer.accepted()) answer.type = SchedulerType::NoOp;
      return answer;
    }
  };
  const Explained idle = segmentWith(text, Idle(), bottomUp());
  EXPECT_EQ(idle.groups(), "a | b | c");
  EXPECT_NE(
      idle.explanation.find("with 1, which also reads %x: it would save no kernel: none runs for 0, %a is empty\n"),
      std::string::npos)
      << idle.explanation;
}

TEST(MergeRulesTest, EachIsListedOnceWithItsFile) {
  const Explained result = segmentSmall(function("%x: f32[i0]", "  %a = exp(%x)\n  return %a\n"), 1);
  std::string names;
  for (const auto& [name, count] : result.counters.merges) names += name + " ";
  EXPECT_EQ(names, "PreferredMerges CombineReductions ProducerConsumerMerges LastPairMerges SiblingMerges ");
}

// --- top-down ---

TEST(TopDownTest, AcceptedPiecesAreNeverAskedAboutAgain) {
  // Two parts: one that is taken whole, one that is not.
  const Explained result = segmentReal(
      function("%x: f32[i0, i1], %y: f32[i0, i1]",
               "  %a = add(%x, %y)\n  %b = exp(%a)\n  %c = segment_set(%b)\n"
               "  %s = sum(%c) {dims = [0], keepdim = true}\n  %d = sub(%c, %s)\n  %e = mul(%d, %y)\n  return %e\n"));
  EXPECT_EQ(result.counters.pieces, 2u);
  EXPECT_EQ(result.counters.accepted, 1u);
  EXPECT_EQ(result.counters.questionsAboutSettled, 0u);
  EXPECT_EQ(result.counters.cutSegmentSets, 1u);
}

TEST(TopDownTest, OnlyPartsInACycleAreSplit) {
  // a, d and b, t need each other; p and q hang on in front and behind, and stay whole.
  const char text[] =
      "fusion f(%x: f32[i0]) {\n  %p = add(%x, %x)\n  %r = exp(%p)\n  %q = segment_set(%r)\n  %a = neg(%q)\n"
      "  %s = segment_set(%a)\n  %b = neg(%s)\n  %t = segment_set(%b)\n  %d = add(%a, %t)\n  return %d\n}\n";
  const Explained result = segmentWith(text, FakeSchedulers());
  EXPECT_EQ(result.groups(), "p r q | a s | b t | d");
  EXPECT_EQ(result.counters.accepted, 4u);
  EXPECT_EQ(result.counters.questionsAboutSettled, 0u);
}

// What leads into a circle of parts to one reader alone is in that reader's piece: the heart of a rotary embedding.
TEST(TopDownTest, AnOpOnAnInputIsNotASeparatePiece) {
  const std::string text = function(
      "%q: bf16[i0, i1], %cos: f32[i1], %sin: f32[i1]",
      "  %x = cast(%q) {dtype = f32}\n  %n = size(%q) {dim = 1}\n  %half = div(%n, 2) {rounding_mode = floor}\n"
      "  %low = slice(%x) {dim = 1, end = %half}\n  %high = slice(%x) {dim = 1, start = %half}\n"
      "  %minus = neg(%high)\n  %left = segment_set(%minus)\n  %right = segment_set(%low)\n"
      "  %turned = cat(%left, %right) {dim = 1}\n  %wide = unsqueeze(%sin) {dims = [0]}\n"
      "  %a = mul(%x, %cos)\n  %b = mul(%turned, %wide)\n  %sum = add(%a, %b)\n  return %sum\n");
  const Explained whole = segmentReal(text);
  EXPECT_LE(whole.counters.kernels, segmentReal(text, bottomUp()).counters.kernels) << whole.explanation;
  EXPECT_GT(whole.counters.accepted, 0u);
  EXPECT_EQ(whole.groupOf("wide"), whole.groupOf("b"));
}

TEST(TopDownTest, AcceptedPiecesThatReadTheSameTensorMayBecomeOne) {
  const char text[] =
      "fusion f(%x: f32[i0], %y: f32[i0]) {\n  %a = exp(%x)\n  %b = log(%x)\n  %c = neg(%y)\n  return %a, %b, %c\n}\n";
  const Explained result = segmentWith(text, FakeSchedulers(atMost(2)));
  EXPECT_EQ(result.groups(), "a b | c");
  EXPECT_EQ(result.counters.accepted, 3u);  // each alone: the three together are too many
  EXPECT_EQ(result.counters.questionsAboutSettled, 0u);
}

// %s is accepted as a piece, %e %t %u are refused; CombineReductions merges %t with %s, and %e still joins them.
TEST(TopDownTest, ASettledPieceThatMergesWithARefusedOneMergesOn) {
  const std::string text = function(
      "%x: f32[i0, i1], %w: f32[i0, i1], %y: f32[i0, i1]",
      "  %s = sum(%y) {dims = [1]}\n  %e = mul(%x, %w)\n  %t = sum(%e) {dims = [1]}\n  %u = var(%t) {dims = [0]}\n"
      "  return %s, %u\n");
  const Explained result = segmentReal(text);
  EXPECT_EQ(result.groups(), "s e t | u");
  EXPECT_EQ(result.counters.accepted, 1u);
  EXPECT_EQ(result.counters.questionsAboutSettled, 0u);
  EXPECT_EQ(segmentReal(text, bottomUp()).counters.kernels, 2u);
}

// Reductions of two shapes, each with rows of its own.
TEST(TopDownTest, ARefusedPartIsSplitByTheShapesOfItsReductions) {
  const std::string text = function("%x: f32[i0, i1]",
                                    "  %e = exp(%x)\n  %s = sum(%e) {dims = [1], keepdim = true}\n  %p = div(%e, %s)\n"
                                    "  %c = var(%e) {dims = [0]}\n  %d = neg(%c)\n  return %p, %d\n");
  const Explained result = segmentReal(text);
  EXPECT_EQ(result.groups(), "e s.r s p | c d");
  EXPECT_EQ(result.counters.accepted, 1u);
}

// --- classic cases ---

TEST(ClassicTest, LayerNormBackward) {
  const std::string text =
      function("%dy: f32[i0, i1], %x: f32[i0, i1], %mean: f32[i0, 1], %rstd: f32[i0, 1], %w: f32[i1]",
               "  %centred = sub(%x, %mean)\n  %xhat = mul(%centred, %rstd)\n  %dyw = mul(%dy, %w)\n"
               "  %p = mul(%dyw, %xhat)\n  %c1 = mean(%p) {dims = [1], keepdim = true}\n"
               "  %c2 = mean(%dyw) {dims = [1], keepdim = true}\n  %q = mul(%xhat, %c1)\n  %r = sub(%dyw, %q)\n"
               "  %t = sub(%r, %c2)\n  %dx = mul(%t, %rstd)\n  %g = mul(%dy, %xhat)\n  %dw = sum(%g) {dims = [0]}\n"
               "  %db = sum(%dy) {dims = [0]}\n  return %dx, %dw, %db\n");
  const Explained result = segmentReal(text);
  EXPECT_EQ(result.counters.kernels, 1u) << toString(*result.segments);
  EXPECT_EQ(segmentReal(text, bottomUp()).counters.kernels, 1u);
}

TEST(ClassicTest, LayerNormBackwardWithTheVariancesOfItsGradients) {
  const std::string text =
      function("%dy: f32[i0, i1], %x: f32[i0, i1], %mean: f32[i0, 1], %rstd: f32[i0, 1], %w: f32[i1]",
               "  %centred = sub(%x, %mean)\n  %xhat = mul(%centred, %rstd)\n  %dyw = mul(%dy, %w)\n"
               "  %p = mul(%dyw, %xhat)\n  %c1 = mean(%p) {dims = [1], keepdim = true}\n"
               "  %c2 = mean(%dyw) {dims = [1], keepdim = true}\n  %q = mul(%xhat, %c1)\n  %r = sub(%dyw, %q)\n"
               "  %t = sub(%r, %c2)\n  %dx = mul(%t, %rstd)\n  %g = mul(%dy, %xhat)\n  %vw = var(%g) {dims = [0]}\n"
               "  %vb = var(%dy) {dims = [0]}\n  return %dx, %vw, %vb\n");
  const Explained result = segmentReal(text);
  // The two means and dx are one kernel, whose rows stay on chip, the two variances over the other axis one.
  EXPECT_EQ(result.counters.kernels, 2u) << toString(*result.segments);
  EXPECT_EQ(result.groupOf("c1"), result.groupOf("dx"));
  EXPECT_EQ(result.groupOf("vw"), result.groupOf("vb"));
  EXPECT_NE(result.groupOf("vw"), result.groupOf("dx"));
  EXPECT_EQ(segmentReal(text, bottomUp()).counters.kernels, 2u);
}

TEST(ClassicTest, EdgesAreUnique) {
  // %a is read three times by one group, and %b twice by the same.
  const Segmented result = singles(
      "fusion f(%x: f32[i0]) {\n  %a = exp(%x)\n  %b = neg(%a)\n  %c = mul(%b, %b)\n  %d = add(%c, %a)\n"
      "  %e = mul(%d, %a)\n  return %e\n}\n");
  SegmentedFusion& segments = *result.segments;
  SegmentedGroup* reader = segments.mergeGroups(result.groupOf("c"), result.groupOf("d"));
  reader = segments.mergeGroups(reader, result.groupOf("e"));
  EXPECT_EQ(segments.getEdgesBetween(result.groupOf("a"), reader).size(), 1u);
  EXPECT_EQ(segments.getEdgesBetween(result.groupOf("b"), reader).size(), 1u);
  EXPECT_EQ(findBrokenInvariants(segments), std::vector<std::string>{});
}

TEST(ClassicTest, ADiamondThatAGreedyMergeMakesCyclic) {
  // a with d is taken, b and c with nothing: a greedy merge of the two ends would wait for itself.
  const char text[] =
      "fusion f(%x: f32[i0]) {\n  %a = add(%x, %x)\n  %b = exp(%a)\n  %c = log(%a)\n  %d = add(%b, %c)\n"
      "  %e = add(%d, %a)\n  return %e\n}\n";
  const auto endsOnly = [](const FusionView& view) {
    const bool middle = holdsOp(view, OpKind::Exp) || holdsOp(view, OpKind::Log);
    return middle && view.exprs.size() > 1 ? "the middle stays alone" : "";
  };
  EXPECT_EQ(segmentWith(text, FakeSchedulers(endsOnly)).groups(), "a | b | c | d e");
  EXPECT_EQ(segmentWith(text, FakeSchedulers(endsOnly), bottomUp()).groups(), "a | b | c | d e");
}

TEST(ClassicTest, ComponentsWithoutACommonInputAreOneKernelIfAccepted) {
  const std::string text = function("%x: f32[i0], %y: f32[i1]", "  %a = exp(%x)\n  %b = exp(%y)\n  return %a, %b\n");
  EXPECT_EQ(segmentReal(text).counters.kernels, 2u);  // loops over i0 are none over i1
  EXPECT_EQ(segmentWith(text, FakeSchedulers()).groups(), "a b");
  // Bottom-up, nothing joins them: no edge, no input.
  EXPECT_EQ(segmentWith(text, FakeSchedulers(), bottomUp()).groups(), "a | b");
}

}  // namespace
}  // namespace fuser
