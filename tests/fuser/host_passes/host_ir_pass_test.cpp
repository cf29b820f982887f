// What surrounds each host pass: its time, its log, its switches, and the verifier behind it.

#include "fuser/host_passes/host_ir_pass.h"

#include <gtest/gtest.h>

#include "fuser/log/log.h"
#include "tests/fuser/host_passes/stream_program.h"

namespace fuser {
namespace {

// Takes the first allocation away.
template <HostLeaks kTaken>
struct Forgetful : HostIrPass<Forgetful<kTaken>> {
  static constexpr HostLeaks kLeaks = kTaken;
  static std::string_view name() { return "ForgetfulPass"; }
  using Base = HostIrPass<Forgetful<kTaken>>;
  using Base::runPass;
  static bool runPass(HostIrContainer& program, typename Base::OwnRun) {
    const std::vector<hir::HostExpr*> all = hostExprsOf<hir::Allocate>(program);
    if (!all.empty()) program.remove(all.front());
    return !all.empty();
  }
};

// f(%x: f32[i0, i1]) { %t = neg(%x); %y = neg(%t); return %y }, both on streams.
struct HostIrPassTest : testing::Test, StreamProgram {
  HostIrPassTest() {
    fusion.addOutput(neg(neg(x, "t", 0), "y", 0));
    context.trace = &trace;
    context.dumps.insert(DebugDumpOption::HostIr);
    context.log = logger.get();
  }
  template <class Pass>
  std::string complaint() {
    try {
      Pass::runPass(*program, context);
    } catch (const CheckError& error) {
      const std::string message = error.what();
      return message.substr(message.find("host IR constraint "));
    }
    return "";
  }
  std::vector<std::string> timed() const {
    std::vector<std::string> names;
    for (const Trace::Row& row : trace.rows()) names.insert(names.end(), row.count, row.name);
    return names;
  }

  Trace trace;
  std::vector<std::string> logged;
  const LogPtr logger = logTo(LogLevel::Info, [this](LogLevel, std::string_view line) { logged.emplace_back(line); });
  CompileContext context;
};

TEST_F(HostIrPassTest, EachPassIsTimedAndLoggedByItsNameInTheirOrder) {
  lower();
  runHostPasses(*program, context);
  const std::vector<std::string> names(allHostPasses().begin(), allHostPasses().end());
  EXPECT_EQ(timed(), names);
  ASSERT_EQ(logged.size(), names.size());
  for (size_t i = 0; i < names.size(); ++i) EXPECT_EQ(logged[i].find(concat("# after ", names[i])), 0u) << logged[i];
  EXPECT_EQ(logged.back(), concat("# after ", names.back(), "\n", toString(*program)));
}

TEST_F(HostIrPassTest, TheLogSaysWhichPassChangedNothing) {
  lower();
  const std::string before = toString(*program);
  EXPECT_FALSE(LowerReshardingsPass::runPass(*program, context));
  EXPECT_TRUE(InsertDeallocationsPass::runPass(*program, context));
  EXPECT_EQ(logged, (std::vector<std::string>{concat("# after LowerReshardingsPass (unchanged)\n", before),
                                              concat("# after InsertDeallocationsPass\n", toString(*program))}));
}

TEST_F(HostIrPassTest, ADisabledPassIsNeitherTimedNorLogged) {
  lower();
  const std::string before = toString(*program);
  context.options.disabledPasses.insert("InsertDeallocationsPass");
  EXPECT_FALSE(InsertDeallocationsPass::runPass(*program, context));
  EXPECT_EQ(toString(*program), before);
  EXPECT_EQ(timed(), std::vector<std::string>{});
  EXPECT_EQ(logged, std::vector<std::string>{});
}

TEST_F(HostIrPassTest, AnInvalidProgramIsFoundAfterThePassThatCausedIt) {
  program = std::make_unique<HostIrContainer>(
      parse("  allocate %y: f32[i0, i1]\n  compute (%t) from (%x) as %t\n  compute into (%y) from (%t) as %y\n"));
  EXPECT_EQ(complaint<Forgetful<HostLeaks::Allowed>>(), "host IR constraint 1: %y is read where it does not exist");
  ASSERT_EQ(logged.size(), 1u) << "the program is shown before it is refused";
  EXPECT_EQ(logged.front(), concat("# after ForgetfulPass\n", toString(*program)));
  EXPECT_EQ(timed(), std::vector<std::string>{"ForgetfulPass"});
}

TEST_F(HostIrPassTest, LeaksAreAllowedPerPass) {
  const auto left = [&] {
    program = std::make_unique<HostIrContainer>(
        parse("  allocate %y: f32[i0, i1]\n  compute (%t) from (%x) as %t\n  compute (%y) from (%t) as %y\n"));
  };
  left();
  EXPECT_EQ(complaint<Forgetful<HostLeaks::Allowed>>(), "");
  left();
  EXPECT_EQ(complaint<Forgetful<HostLeaks::Forbidden>>(), "host IR constraint 4: %t is allocated and never freed");
}

}  // namespace
}  // namespace fuser
