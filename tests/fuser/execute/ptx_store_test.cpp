#include "fuser/execute/ptx_store.h"

#include <gtest/gtest.h>

#include <fstream>

#include "fuser/execute/ptx_engine.h"
#include "fuser/support/set_up_error.h"
#include "tests/fuser/execute/pointwise_kernels.h"

namespace fuser {
namespace {

class PtxStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              concat("ptx_store_", ::testing::UnitTest::GetInstance()->current_test_info()->name(), "_", getpid());
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Of the one file that is kept.
  std::filesystem::path file() const { return *std::filesystem::directory_iterator(folder_); }

  std::filesystem::path folder_;
};

TEST_F(PtxStoreTest, GivesBackWhatItKeptOfTheSameTextAndSettings) {
  const PtxStore store(folder_);
  EXPECT_FALSE(store.find("sm_90", "text"));
  const std::string ptx = std::string(".version 9.0\n") + '\0' + "\n\nend";
  store.keep("sm_90", "text", ptx);
  EXPECT_EQ(PtxStore(folder_).find("sm_90", "text"), ptx);
  EXPECT_FALSE(store.find("sm_80", "text"));
  EXPECT_FALSE(store.find("sm_90", "texu"));
  EXPECT_FALSE(store.find("sm_90t", "ext"));
}

TEST_F(PtxStoreTest, TakesNothingThatIsDamaged) {
  const PtxStore store(folder_);
  store.keep("sm_90", "text", "0123456789");
  std::filesystem::resize_file(file(), std::filesystem::file_size(file()) - 1);
  EXPECT_FALSE(store.find("sm_90", "text"));
  store.keep("sm_90", "text", "0123456789");
  EXPECT_EQ(store.find("sm_90", "text"), "0123456789");
  std::fstream(file(), std::ios::in | std::ios::out | std::ios::binary).put('g');
  EXPECT_FALSE(store.find("sm_90", "text"));
}

TEST_F(PtxStoreTest, SaysThatAFolderCannotBeMade) {
  std::ofstream(folder_.string()) << "a file";
  try {
    const PtxStore store(folder_);
    ADD_FAILURE() << "made a folder of a file";
  } catch (const SetUpError& error) {
    EXPECT_EQ(std::string(error.what()).find("cannot make the folder " + folder_.string()), 0u) << error.what();
  }
}

TEST_F(PtxStoreTest, AnEngineCompilesATextOnce) {
  const std::unique_ptr<Kernel> kernel = castKernel(DataType::Float, DataType::Int8);
  const std::vector<const Kernel*> kernels = {kernel.get()};
  for (const int64_t fromStore : {0, 1}) {
    const auto census = std::make_shared<PtxCensus>();
    makePtxEngine({.census = census, .store = folder_})->compile(kernels);
    const PtxWork work = census->work();
    EXPECT_EQ(work.compiled, 1);
    EXPECT_EQ(work.fromStore, fromStore);
    EXPECT_EQ(work.kernels.size(), 1u);
    EXPECT_TRUE(work.opcodes.contains("ret"));
  }
  const auto census = std::make_shared<PtxCensus>();
  makePtxEngine({.architecture = "80", .census = census, .store = folder_})->compile(kernels);
  EXPECT_EQ(census->work().fromStore, 0) << "another architecture";
}

}  // namespace
}  // namespace fuser
