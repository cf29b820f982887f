# What comes from outside the tree. tests/setup.sh installs it on Debian and Ubuntu.

find_package(spdlog REQUIRED)
# Headers alone, and fmt's too: programs travel to machines without the libraries (tests/gpu).
add_library(fuser::spdlog INTERFACE IMPORTED)
get_target_property(FUSER_SPDLOG_INCLUDES spdlog::spdlog_header_only INTERFACE_INCLUDE_DIRECTORIES)
set_target_properties(fuser::spdlog PROPERTIES
  INTERFACE_INCLUDE_DIRECTORIES "${FUSER_SPDLOG_INCLUDES}"
  INTERFACE_COMPILE_DEFINITIONS "SPDLOG_FMT_EXTERNAL;FMT_HEADER_ONLY")
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
# Static where there is a choice: programs travel to machines without these (tests/gpu).
set(Boost_USE_STATIC_LIBS ON)
find_package(Boost REQUIRED COMPONENTS context)
find_package(Threads REQUIRED)
find_library(FUSER_STATIC_SQLITE libsqlite3.a)
if(FUSER_STATIC_SQLITE)
  set(SQLite3_LIBRARY "${FUSER_STATIC_SQLITE}" CACHE FILEPATH "" FORCE)
endif()
find_package(SQLite3 REQUIRED)
find_library(FUSER_MPFR NAMES libmpfr.a mpfr REQUIRED)
find_library(FUSER_GMP NAMES libgmp.a gmp REQUIRED)
add_library(fuser::mpfr INTERFACE IMPORTED)
set_target_properties(fuser::mpfr PROPERTIES INTERFACE_LINK_LIBRARIES "${FUSER_MPFR};${FUSER_GMP}")
# A case makes and frees many small blocks. A sanitizer brings its own malloc.
find_library(FUSER_TCMALLOC libtcmalloc_minimal.a)
if(FUSER_TCMALLOC AND NOT FUSER_SANITIZE)
  add_library(fuser::malloc UNKNOWN IMPORTED)
  set_target_properties(fuser::malloc PROPERTIES IMPORTED_LOCATION "${FUSER_TCMALLOC}")
else()
  add_library(fuser::malloc INTERFACE IMPORTED)
endif()
# Only its C functions are used. Without it what needs it is left out.
set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI COMPONENTS CXX)
if(BUILD_TESTING)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
  find_package(benchmark REQUIRED)
endif()
if(FUSER_WITH_LIBTORCH)
  find_package(LibTorch 2.11...<2.12 REQUIRED)
endif()
