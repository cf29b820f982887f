#pragma once
// Jobs of mpirun, for tests.

#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <string>

namespace fuser {

struct Outcome {
  int exitCode = -1;
  std::string text;  // standard output and error together
  bool has(const std::string& part) const { return text.find(part) != std::string::npos; }
};

// A job that mpirun runs. `timeout` ends it with exit code 124 should it hang.
class Job {
 public:
  // Debian's Open MPI wants to be told that it may run as root and with more ranks than cores, needs no ssh on one
  // machine, and may not read other processes' memory in a container. It leaves memory behind.
  Job(int ranks, const std::string& arguments, const std::string& program = "mpi_rank") {
    const auto rank = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / program;
    const std::string command =
        "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 "
        "OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_plm_rsh_agent=/bin/false "
        "OMPI_MCA_btl_vader_single_copy_mechanism=none ASAN_OPTIONS=detect_leaks=0 timeout -k 5 120 " FUSER_MPIRUN
        " -np " +
        std::to_string(ranks) + " '" + rank.string() + "' " + arguments + " < /dev/null 2>&1";
    pipe_ = popen(command.c_str(), "r");
  }
  ~Job() {
    if (pipe_) pclose(pipe_);
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // Reads the first line of its output, which is part of the outcome, too.
  std::string line() {
    char buffer[4096] = "";
    if (fgets(buffer, sizeof buffer, pipe_)) outcome_.text += buffer;
    return buffer;
  }

  Outcome end() {
    char buffer[4096];
    for (size_t count; (count = fread(buffer, 1, sizeof buffer, pipe_)) != 0;) outcome_.text.append(buffer, count);
    const int status = pclose(pipe_);
    pipe_ = nullptr;
    outcome_.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return outcome_;
  }

 private:
  FILE* pipe_ = nullptr;
  Outcome outcome_;
};

}  // namespace fuser
