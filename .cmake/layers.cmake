# layer(<folder> [USES <folder>…] [LIBS <target>…] [PRIVATE_LIBS <target>…] [EMBED <file>…])
#   The static library of <folder>/*.cpp; target name: the path with '_' for '/'. A folder without .cpp is header-only.
#   It may include what it USES and what those use; each edge of USES is taken by an #include of its own files. PRIVATE_LIBS
#   are for its own .cpp files only. Each <name>.cpp that a list of the folder (*.def) mentions, with its path where it
#   lies in another folder, must exist. EMBED: files of the tree that the library carries as text (embed.cmake).
# test_layer(<folder> …)
#   The same, but only with BUILD_TESTING: what several test programs share.
# program(<name> <folder> [USES …] [LIBS …])
#   bin/<name> from <folder>/*.cpp; nothing as long as there is none.
# test_program(<name> <folder> [USES …] [LIBS …])
#   The same, but only with BUILD_TESTING.
# libfuzzer_program(<name> <folder> [USES …])
#   bin/<name>, with libFuzzer's main; nothing unless FUSER_SANITIZE has fuzzer-no-link, or FUSER_FUZZING_ENGINE names
#   another main (fuzz/oss-fuzz/build.sh).
# test_with_libfuzzer(<name> <runs>…)
#   Makes these programs with clang, libFuzzer and sanitizers in <build>/libfuzzer, and runs each over corpus/fuzz in ctest
#   (<name> without "_fuzz" names the folder), so many inputs. Nothing where clang or its runtime is missing, and says so;
#   without those whose layers are left out of this build.
# layer_tests(tests/<folder> [USES …] [LIBS …] [PROGRAMS <program>…] [SHARDS n] [SKIPS <regex>])
#   tests/<layer>/*.cpp become bin/tests/test_<layer>, one ctest entry named <layer>, by themselves; this line adds what such
#   a folder uses beyond its layer, the programs that its tests start (bin/<name>), or splits it over n ctest entries.
#   Folders that mirror no layer need it. Tests run in the repository root. SKIPS: what all tests of the program say where
#   they cannot run; ctest then shows it as skipped.
# finish_layers() makes the test programs and <build>/layers.txt, and comes last.
#
# A layer of which a PRIVATE_LIB was not found (MPI; LibTorch with FUSER_WITH_LIBTORCH=OFF) is left out of the build, and so
# is whatever uses it. ctest shows tests of such layers as skipped, and why.

set(FUSER_LAYERS "")  # in order of declaration
set(FUSER_TEST_FOLDERS "")

# One line in layers.txt, which tests/architecture reads.
function(_record folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SHARDS;SKIPS" "USES;LIBS;PRIVATE_LIBS;EMBED;PROGRAMS")
  list(JOIN arg_USES " " uses)
  file(APPEND "${CMAKE_BINARY_DIR}/layers.txt.new" "${folder}: ${uses}\n")
endfunction()

macro(_target_name folder result)
  string(REPLACE "/" "_" ${result} "${folder}")
endmacro()

# Sets <result> to the targets of the folders given, or to SKIPPED if one of them is left out of this build; <result>_WHY
# then says which library was not found.
function(_targets_of result)
  set(targets "")
  foreach(folder IN LISTS ARGN)
    _target_name(${folder} target)
    if(NOT folder IN_LIST FUSER_LAYERS)
      message(FATAL_ERROR "${folder} is used before it is declared: a layer uses only those above it")
    endif()
    if(NOT TARGET ${target})
      get_property(why GLOBAL PROPERTY FUSER_WHY_${target})
      set(${result} SKIPPED PARENT_SCOPE)
      set(${result}_WHY "${why}" PARENT_SCOPE)
      return()
    endif()
    list(APPEND targets ${target})
  endforeach()
  set(${result} "${targets}" PARENT_SCOPE)
endfunction()

macro(layer folder)
  _add_layer(${folder} ${ARGN})
  list(APPEND FUSER_LAYERS ${folder})
endmacro()

macro(test_layer folder)
  if(BUILD_TESTING)
    layer(${folder} ${ARGN})
  else()
    _record(${folder} ${ARGN})
  endif()
endmacro()

function(_check_lists folder)
  file(GLOB lists CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/${folder}/*.def")
  foreach(list IN LISTS lists)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${list}")
    file(STRINGS "${list}" lines REGEX "^[A-Z].*[a-z0-9_]+\\.cpp")
    string(REGEX MATCHALL "[a-z0-9_/]+\\.cpp" files "${lines}")
    foreach(file IN LISTS files)
      set(path "${folder}/${file}")
      if(file MATCHES "/")
        set(path "${file}")
      endif()
      if(NOT EXISTS "${CMAKE_SOURCE_DIR}/${path}")
        message(FATAL_ERROR "${list} names ${path}, which does not exist")
      endif()
    endforeach()
  endforeach()
endfunction()

function(_embed folder output)
  list(TRANSFORM ARGN PREPEND "${CMAKE_SOURCE_DIR}/" OUTPUT_VARIABLE paths)
  list(JOIN ARGN "," files)
  add_custom_command(OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DROOT=${CMAKE_SOURCE_DIR}" "-DFOLDER=${folder}" "-DFILES=${files}" "-DOUTPUT=${output}" -P "${CMAKE_SOURCE_DIR}/.cmake/embed.cmake"
    DEPENDS ${paths} "${CMAKE_SOURCE_DIR}/.cmake/embed.cmake"
    COMMENT "Embedding ${files}"
    VERBATIM)
endfunction()

# Libraries of tests are compiled file by file: names in their anonymous namespaces meet often.
function(_separate_files_of_tests target folder)
  if(folder MATCHES "^tests/")
    set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
  endif()
endfunction()

function(_add_layer folder)
  _check_lists(${folder})
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "USES;LIBS;PRIVATE_LIBS;EMBED")
  _record(${folder} ${ARGN})
  _target_name(${folder} target)
  _targets_of(targets ${arg_USES})
  foreach(library IN LISTS arg_PRIVATE_LIBS)
    if(NOT TARGET ${library})
      set(targets SKIPPED)
      set(targets_WHY ${library})
    endif()
  endforeach()
  if(targets STREQUAL SKIPPED)
    message(STATUS "${folder} is left out: it needs ${targets_WHY}")
    set_property(GLOBAL PROPERTY FUSER_WHY_${target} "${targets_WHY}")
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/${folder}/*.cpp")
  if(arg_EMBED)
    _embed(${folder} "${CMAKE_BINARY_DIR}/embedded/${target}.cpp" ${arg_EMBED})
    list(APPEND sources "${CMAKE_BINARY_DIR}/embedded/${target}.cpp")
  endif()
  if(sources)
    add_library(${target} STATIC ${sources})
    target_link_libraries(${target} PUBLIC ${targets} ${arg_LIBS} PRIVATE ${arg_PRIVATE_LIBS})
    _separate_files_of_tests(${target} ${folder})
  else()
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${targets} ${arg_LIBS})
  endif()
endfunction()

function(program name folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "USES;LIBS")
  _record(${folder} ${ARGN})
  _targets_of(targets ${arg_USES})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/${folder}/*.cpp")
  if(sources AND NOT targets STREQUAL SKIPPED)
    add_executable(${name} ${sources})
    target_link_libraries(${name} PRIVATE ${targets} ${arg_LIBS})
    _separate_files_of_tests(${name} ${folder})
  endif()
endfunction()

function(test_program name folder)
  if(BUILD_TESTING)
    program(${name} ${folder} ${ARGN})
  else()
    _record(${folder} ${ARGN})
  endif()
endfunction()

function(libfuzzer_program name folder)
  if(FUSER_FUZZING_ENGINE OR FUSER_SANITIZE MATCHES "fuzzer-no-link")
    program(${name} ${folder} ${ARGN})
    if(TARGET ${name} AND FUSER_FUZZING_ENGINE)
      target_link_libraries(${name} PRIVATE ${FUSER_FUZZING_ENGINE})
    elseif(TARGET ${name})
      target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    endif()
  else()
    _record(${folder} ${ARGN})
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "USES;LIBS")
    _targets_of(targets ${arg_USES})
    if(targets STREQUAL SKIPPED)
      set(FUSER_LEFT_OUT "${FUSER_LEFT_OUT};${name}" PARENT_SCOPE)
    endif()
  endif()
endfunction()

function(test_with_libfuzzer)
  set(programs ${ARGN})
  list(FILTER programs EXCLUDE REGEX "^[0-9]+$")
  if(FUSER_LEFT_OUT)
    list(REMOVE_ITEM programs ${FUSER_LEFT_OUT})
  endif()
  if(NOT BUILD_TESTING OR FUSER_SANITIZE)
    return()
  endif()
  find_program(FUSER_CLANG NAMES clang++ clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14)
  set(runtime "")
  if(FUSER_CLANG)
    execute_process(COMMAND "${FUSER_CLANG}" -print-file-name=libclang_rt.fuzzer-${CMAKE_SYSTEM_PROCESSOR}.a
      OUTPUT_VARIABLE runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT EXISTS "${runtime}")
      execute_process(COMMAND "${FUSER_CLANG}" -print-file-name=libclang_rt.fuzzer.a
        OUTPUT_VARIABLE runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
    endif()
  endif()
  if(NOT EXISTS "${runtime}")
    message(STATUS "No clang with libFuzzer's runtime: ${programs} are not built, and ctest runs their bodies alone")
    return()
  endif()
  set(build "${CMAKE_BINARY_DIR}/libfuzzer")
  string(REPLACE ";" "$<SEMICOLON>" prefixes "${CMAKE_PREFIX_PATH}")
  add_custom_target(libfuzzer_programs ALL
    COMMAND "${CMAKE_COMMAND}" -S "${CMAKE_SOURCE_DIR}" -B "${build}" -G Ninja "-DCMAKE_CXX_COMPILER=${FUSER_CLANG}"
            -DCMAKE_BUILD_TYPE=Debug -DFUSER_SANITIZE=fuzzer-no-link,address,undefined -DBUILD_TESTING=OFF
            -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=24
            -DFUSER_WITH_LIBTORCH=${FUSER_WITH_LIBTORCH} "-DCMAKE_PREFIX_PATH=${prefixes}" --log-level=WARNING
    COMMAND "${CMAKE_COMMAND}" --build "${build}" -j 2 --target ${programs}
    COMMENT "Building ${programs} with libFuzzer" USES_TERMINAL VERBATIM)
  foreach(name IN LISTS programs)
    list(FIND ARGN ${name} place)
    math(EXPR place "${place} + 1")
    list(GET ARGN ${place} runs)
    string(REGEX REPLACE "_fuzz$" "" corpus "${name}")
    # New inputs go to a folder that is thrown away.
    add_test(NAME libfuzzer/${name} COMMAND "${CMAKE_COMMAND}" "-DPROGRAM=${build}/bin/${name}"
      "-DCORPUS=${CMAKE_SOURCE_DIR}/corpus/fuzz/${corpus}" "-DWORK=${build}/work/${name}" -DRUNS=${runs}
      -P "${CMAKE_SOURCE_DIR}/.cmake/run_libfuzzer.cmake"
      WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
    set_tests_properties(libfuzzer/${name} PROPERTIES TIMEOUT 300)
  endforeach()
endfunction()

macro(layer_tests folder)
  list(APPEND FUSER_TEST_FOLDERS ${folder})
  set("FUSER_TESTS_${folder}" ${ARGN})
  _record(${folder} ${ARGN})
endmacro()

# In seconds. Tests run several times longer with sanitizers.
set(FUSER_TEST_TIMEOUT 400)
if(FUSER_SANITIZE)
  set(FUSER_TEST_TIMEOUT 1500)
endif()

# RapidCheck draws the same cases in every run; random seeds are for campaigns.
set(FUSER_TEST_ENVIRONMENT "RC_PARAMS=seed=20260101")
if(FUSER_COVERAGE)
  # Tests read standard error, where gcov would say that a program on a full disk, say, cannot write its counts.
  list(APPEND FUSER_TEST_ENVIRONMENT "GCOV_ERROR_FILE=/dev/null")
endif()

function(_add_tests folder)
  cmake_parse_arguments(arg "" "SHARDS;SKIPS" "USES;LIBS;PROGRAMS" ${FUSER_TESTS_${folder}})
  string(REGEX REPLACE "^tests/" "" subject "${folder}")
  if(subject IN_LIST FUSER_LAYERS)
    list(PREPEND arg_USES ${subject})
  endif()
  _targets_of(targets ${arg_USES})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/${folder}/*.cpp")
  if(NOT sources)
    return()
  endif()
  if(targets STREQUAL SKIPPED)
    set(skipped "${subject} (needs ${targets_WHY})")  # ctest lists skipped tests by their names
    add_test(NAME "${skipped}" COMMAND "${CMAKE_COMMAND}" -E echo "skipped: cmake did not find ${targets_WHY}")
    set_tests_properties("${skipped}" PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped: ")
    return()
  endif()
  _target_name(test/${subject} program)
  add_executable(${program} ${sources})
  target_link_libraries(${program} PRIVATE ${targets} ${arg_LIBS} rapidcheck GTest::gtest GTest::gtest_main fuser::malloc)
  target_precompile_headers(${program} REUSE_FROM test_headers)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # false alarms of g++ 12 in a precompiled std::string (GCC bug 105651)
    target_compile_options(${program} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
  # Two files as one take 9 s where one takes 8. More would make each touch of a test slow.
  set_target_properties(${program} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin/tests" UNITY_BUILD_BATCH_SIZE 2)
  if(arg_PROGRAMS)
    foreach(needed IN LISTS arg_PROGRAMS)
      if(NOT TARGET ${needed})
        return()
      endif()
    endforeach()
    add_dependencies(${program} ${arg_PROGRAMS})
  endif()
  if(NOT arg_SHARDS)
    add_test(NAME ${subject} COMMAND ${program} WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
    set_tests_properties(${subject} PROPERTIES TIMEOUT ${FUSER_TEST_TIMEOUT} ENVIRONMENT "${FUSER_TEST_ENVIRONMENT}")
    if(arg_SKIPS)
      set_tests_properties(${subject} PROPERTIES SKIP_REGULAR_EXPRESSION "${arg_SKIPS}")
    endif()
    return()
  endif()
  math(EXPR last "${arg_SHARDS} - 1")
  foreach(index RANGE ${last})
    add_test(NAME ${subject}.${index} COMMAND ${program} WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
    set_tests_properties(${subject}.${index} PROPERTIES TIMEOUT ${FUSER_TEST_TIMEOUT}
      ENVIRONMENT "${FUSER_TEST_ENVIRONMENT};GTEST_TOTAL_SHARDS=${arg_SHARDS};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()

# googletest and RapidCheck, parsed once for all test programs.
function(_add_test_headers)
  set(source "${CMAKE_BINARY_DIR}/test_headers.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "// Carries the precompiled headers of the test programs.\n")
  add_library(test_headers STATIC "${source}")
  target_link_libraries(test_headers PRIVATE rapidcheck GTest::gtest)
  target_precompile_headers(test_headers PRIVATE <gtest/gtest.h> <rapidcheck/gtest.h>)
endfunction()

function(finish_layers)
  file(RENAME "${CMAKE_BINARY_DIR}/layers.txt.new" "${CMAKE_BINARY_DIR}/layers.txt")
  if(NOT BUILD_TESTING)
    return()
  endif()
  set(folders ${FUSER_TEST_FOLDERS})
  foreach(layer IN LISTS FUSER_LAYERS)
    list(APPEND folders tests/${layer})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  _add_test_headers()
  foreach(folder IN LISTS folders)
    _add_tests(${folder})
  endforeach()
endfunction()

file(WRITE "${CMAKE_BINARY_DIR}/layers.txt.new" "repository: ${CMAKE_SOURCE_DIR}\n")
if(BUILD_TESTING)
  enable_testing()
endif()
