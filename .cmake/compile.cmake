# Compiler, flags, linker and cache: the same for every layer.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
# No -DNDEBUG: checks stay on in every build. -g1 keeps line numbers in stack traces and costs little.
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1")

# One IR op is one rounding, on the host too. g++ 12's vectorizer of straight-line code (on with -O2, off with -O1) loses
# the conversion of a pair of doubles to f32 and back where a branch chooses how to round: roundTo did not round.
set(FUSER_ROUNDING_FLAGS -ffp-contract=off $<$<CXX_COMPILER_ID:GNU>:-fno-tree-slp-vectorize>)
add_compile_options(-Wall -Wextra -Werror -Werror=switch ${FUSER_ROUNDING_FLAGS})
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 with -O2 sees overlaps in std::string's own append (GCC bug 105651), and members of an empty std::optional
  # that may be uninitialized in its destructor (GCC bug 80635). Neither is an error of ours.
  add_compile_options(-Wno-restrict $<$<CONFIG:Release>:-Wno-maybe-uninitialized>)
endif()
include_directories("${CMAKE_SOURCE_DIR}")

set(FUSER_FUZZING_ENGINE "" CACHE STRING "What libFuzzer's programs link with instead of -fsanitize=fuzzer; the flags say how they are compiled")
set(FUSER_SANITIZE "" CACHE STRING "A -fsanitize= list, e.g. address,undefined")
if(FUSER_SANITIZE)
  add_compile_options(-fsanitize=${FUSER_SANITIZE} -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${FUSER_SANITIZE})
endif()

option(FUSER_COVERAGE "Count the lines that run, with gcov" OFF)
if(FUSER_COVERAGE)
  add_compile_options(--coverage -fprofile-update=atomic)
  add_compile_definitions(FUSER_COVERAGE)
  add_link_options(--coverage)
  # After tests: a table of lines that ran, by folder.
  add_custom_target(coverage COMMAND tests/coverage "${CMAKE_BINARY_DIR}"
                    WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}" USES_TERMINAL VERBATIM)
endif()

find_program(FUSER_MOLD mold)
if(FUSER_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# Paths in debug information and __FILE__ start at the repository root, wherever it lies: buckets hold them. ccache passes paths below its base
# folder relative to the build folder, which makes objects the same, and shared, among all clones and worktrees.
find_program(FUSER_CCACHE ccache)
if(FUSER_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}" CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros "${FUSER_CCACHE}")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess)  # ccache then sees which precompiled header is used
  else()
    add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
  endif()
  file(RELATIVE_PATH source_from_build "${CMAKE_BINARY_DIR}" "${CMAKE_SOURCE_DIR}")
  add_compile_options("-ffile-prefix-map=${source_from_build}=")
endif()
add_compile_options("-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=")  # the files that a unity file includes are absolute

# Several .cpp files of a layer are compiled as one where the preset says so (CMAKE_UNITY_BUILD): their headers are parsed
# once. So names in anonymous namespaces are one layer's: they differ. Test programs take precompiled headers, too.

# Loops over lanes and elements. -O2 of g++ 12 does not vectorise them; no float changes by it, there is no -ffast-math.
set_source_files_properties(fuser/ops/op_eval.cpp fuser/execute/interp_index.cpp fuser/execute/interp_memory.cpp
  fuser/execute/interp_machine.cpp PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>")
