// clang as a library: which failures are errors in the text, and which are SetUpErrors.

#include "fuser/execute/clang_compiler.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include "fuser/support/sanitizers.h"
#include "fuser/support/set_up_error.h"

namespace fuser {
namespace {

class ClangSetUpErrorTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("clang_compiler_test." + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    if (const char* named = std::getenv("TMPDIR")) former_ = named;
  }
  void TearDown() override {
    former_.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", former_.c_str(), 1);
    std::filesystem::remove_all(folder_);
  }

  // A compiler that does what the lines of a shell say.
  ClangCompiler script(const std::string& lines) {
    const std::filesystem::path path = folder_ / "compiler";
    std::ofstream(path) << "#!/bin/sh\n" << lines << "\n";
    chmod(path.c_str(), 0700);
    return {path.string()};
  }
  static std::string setUpErrorOf(const ClangCompiler& compiler, const std::string& text = "") {
    try {
      compiler.compile(text);
    } catch (const SetUpError& error) {
      return error.what();
    } catch (const std::exception& error) {
      ADD_FAILURE() << "no SetUpError: " << error.what();
    }
    return "";
  }
  // The same in a process of its own, below a limit. 0: a SetUpError.
  static int endBelow(const std::function<void()>& limit) {
    const pid_t child = fork();
    if (child == 0) {
      limit();
      try {
        ClangCompiler::find().compile("extern \"C\" int one() { return 1; }");
      } catch (const SetUpError&) {
        _exit(0);
      } catch (const std::exception&) {
        _exit(1);
      }
      _exit(2);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
  }

  std::filesystem::path folder_;
  std::string former_;
};

TEST_F(ClangSetUpErrorTest, ACompileErrorFailsACheck) {
  EXPECT_THROW(ClangCompiler::find().compile("int f( {"), CheckError);
  EXPECT_THROW(script("echo \"kernels.cpp:3:1: error: unknown type\"; exit 1").compile(""), CheckError);
  EXPECT_THROW(script("kill -SEGV $$").compile(""), CheckError);
}

TEST_F(ClangSetUpErrorTest, ACompilerThatFailsWithoutADiagnosticIsASetUpError) {
  EXPECT_NE(setUpErrorOf(script("exit 1")).find("ended with status 1"), std::string::npos);
  EXPECT_NE(setUpErrorOf(script("kill -KILL $$")).find("was ended by signal 9"), std::string::npos);
  EXPECT_NE(setUpErrorOf(script("kill -TERM $$")).find("was ended by signal 15"), std::string::npos);
  for (const char* message : {"error: unable to open output file 'x.o': 'No space left on device'",
                              "error: error opening 'x': Too many open files", "fatal error: Cannot allocate memory",
                              "error: unable to open output file 'x.o': 'Permission denied'",
                              "error: unable to execute command: Executable \"ld\" doesn't exist!"}) {
    EXPECT_NE(setUpErrorOf(script("echo \"" + std::string(message) + "\"; exit 1")), "") << message;
  }
  EXPECT_NE(setUpErrorOf({(folder_ / "missing").string()}).find("cannot start"), std::string::npos);
  EXPECT_NE(setUpErrorOf(script("exit 0")).find("do not load"), std::string::npos);
}

TEST_F(ClangSetUpErrorTest, AMissingOrUnwritableTemporaryFolderIsASetUpError) {
  setenv("TMPDIR", (folder_ / "nowhere").c_str(), 1);
  EXPECT_NE(setUpErrorOf(ClangCompiler::find()).find("TMPDIR"), std::string::npos);
  setenv("TMPDIR", "/proc", 1);
  EXPECT_NE(setUpErrorOf(ClangCompiler::find()).find("/proc/fuser-cpu-"), std::string::npos);
}

TEST_F(ClangSetUpErrorTest, TooManyOpenFilesOrAFullDiskIsASetUpError) {
  const auto below = [](decltype(RLIMIT_NOFILE) resource, rlim_t most) {
    return [resource, most] {
      signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{most, most};
      setrlimit(resource, &limit);
    };
  };
  EXPECT_EQ(endBelow(below(RLIMIT_NOFILE, 4)), 0);
  EXPECT_EQ(endBelow(below(RLIMIT_FSIZE, 100)), 0);
  EXPECT_EQ(endBelow(below(RLIMIT_FSIZE, 10)), 0);
  EXPECT_EQ(endBelow([] {}), 2);
}

TEST_F(ClangSetUpErrorTest, LackOfMemoryIsASetUpError) {
  if (kAddressSanitizer) GTEST_SKIP() << "address sanitizer needs more than the 40 MB that are left to this process";
  EXPECT_EQ(endBelow([] {
              // What this process has, and a clang has not.
              const rlimit limit{rlim_t{40} << 20, rlim_t{40} << 20};
              setrlimit(RLIMIT_AS, &limit);
            }),
            0);
}

TEST_F(ClangSetUpErrorTest, AMissingCompilerIsASetUpError) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", folder_.c_str(), 1);
  EXPECT_THROW(ClangCompiler::find(), SetUpError);
  setenv("PATH", path.c_str(), 1);
}

TEST_F(ClangSetUpErrorTest, AbandonedFoldersAreRemovedAndFoldersInUseAreKept) {
  setenv("TMPDIR", folder_.c_str(), 1);
  const auto make = [&](const char* name, bool old) {
    std::filesystem::create_directories(folder_ / name);
    std::ofstream(folder_ / name / "kernels.cpp") << "x";
    const auto now = std::filesystem::file_time_type::clock::now();
    if (old) std::filesystem::last_write_time(folder_ / name, now - std::chrono::hours(2));
  };
  make("fuser-cpu-AAAAAA", true);
  make("fuser-cpu-BBBBBB", true);
  make("fuser-cpu-CCCCCC", false);
  make("mine", true);
  const int used = open((folder_ / "fuser-cpu-BBBBBB").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(flock(used, LOCK_EX), 0);
  ClangCompiler::removeAbandonedFolders();
  close(used);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "fuser-cpu-AAAAAA"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "fuser-cpu-BBBBBB"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "fuser-cpu-CCCCCC"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "mine"));
}

}  // namespace
}  // namespace fuser
