# cmake -DBUILD=<build folder of fuser> -DPROJECT=<another project> -DCOMPILER=<c++> -DFLAGS=<flags> -P install_test.cmake
# Installs fuser's library, builds the project's program `example` against it and compares what it prints with
# <project>/expected.txt.

set(installed "${BUILD}/installed")
set(work "${BUILD}/installed-example")

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${result}:\n${output}")
  endif()
endfunction()

# Each header that an installed header names is installed, too.
function(check_headers)
  file(GLOB_RECURSE headers RELATIVE "${installed}/include" "${installed}/include/*")
  if(NOT headers)
    message(FATAL_ERROR "no header is installed in ${installed}/include")
  endif()
  foreach(header IN LISTS headers)
    file(STRINGS "${installed}/include/${header}" lines REGEX "^#include \"")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include \"([^\"]*)\".*" "\\1" included "${line}")
      if(NOT EXISTS "${installed}/include/${included}")
        message(FATAL_ERROR "${header} includes ${included}, which is not installed")
      endif()
    endforeach()
  endforeach()
endfunction()

file(REMOVE_RECURSE "${installed}" "${work}")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${installed}" --component library)
check_headers()
run("${CMAKE_COMMAND}" -S "${PROJECT}" -B "${work}" -G Ninja "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_FLAGS=${FLAGS}"
    "-DCMAKE_PREFIX_PATH=${installed}")
run("${CMAKE_COMMAND}" --build "${work}")
execute_process(COMMAND "${work}/example" RESULT_VARIABLE result OUTPUT_VARIABLE printed ERROR_VARIABLE error)
file(READ "${PROJECT}/expected.txt" expected)
if(NOT result EQUAL 0 OR NOT printed STREQUAL expected)
  message(FATAL_ERROR "${work}/example ended with ${result} and printed\n${printed}${error}instead of\n${expected}")
endif()
