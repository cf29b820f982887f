# Finds LibTorch 2.11 and makes LibTorch::LibTorch from libtorch_cpu and libc10 alone. Torch's own CMake config is not used:
# it asks for nvcc and NVSHMEM, which nothing here needs.
#
# Looks in CMAKE_PREFIX_PATH (variable or environment), then the environment's LIBTORCH_ROOT, then the cache folder that tests/setup.sh fills. Each may
# be a folder that holds torch/ (site-packages), or torch/ or libtorch/ itself.
#
# libtorch_cpu needs libcudart.so.13 and libcupti.so.13 even without a GPU: from the CUDA toolkit, or from the wheels
# nvidia-cuda-runtime and nvidia-cuda-cupti beside torch or in the cache folder.

if(DEFINED ENV{XDG_CACHE_HOME})
  set(cache "$ENV{XDG_CACHE_HOME}/fuser")
else()
  set(cache "$ENV{HOME}/.cache/fuser")
endif()
string(REPLACE ":" ";" places "$ENV{CMAKE_PREFIX_PATH}")
list(APPEND places "$ENV{LIBTORCH_ROOT}" "${cache}/libtorch-2.11.0")

find_path(LibTorch_INCLUDE_DIR ATen/ATen.h PATHS ${CMAKE_PREFIX_PATH} ${places} PATH_SUFFIXES include torch/include NO_DEFAULT_PATH)
cmake_path(GET LibTorch_INCLUDE_DIR PARENT_PATH root)
find_library(LibTorch_CPU_LIBRARY torch_cpu PATHS "${root}/lib" NO_DEFAULT_PATH)
find_library(LibTorch_C10_LIBRARY c10 PATHS "${root}/lib" NO_DEFAULT_PATH)
set(version_header "${LibTorch_INCLUDE_DIR}/torch/headeronly/version.h")
if(EXISTS "${version_header}")
  file(STRINGS "${version_header}" version REGEX "TORCH_VERSION_(MAJOR|MINOR|PATCH) [0-9]+")
  string(REGEX MATCHALL "[0-9]+" version "${version}")
  list(JOIN version "." LibTorch_VERSION)
endif()

find_program(nvcc nvcc PATHS /usr/local/cuda/bin NO_CACHE)
if(nvcc)
  file(REAL_PATH "${nvcc}" nvcc)
  cmake_path(GET nvcc PARENT_PATH toolkit)
  cmake_path(GET toolkit PARENT_PATH toolkit)
endif()
set(cuda_places "${toolkit}/lib64" "${toolkit}/extras/CUPTI/lib64" "${root}/../nvidia/cu13/lib"
    "${cache}/cuda-13.0/nvidia/cu13/lib")
find_file(LibTorch_CUDART libcudart.so.13 PATHS ${cuda_places} NO_DEFAULT_PATH)
find_file(LibTorch_CUPTI libcupti.so.13 PATHS ${cuda_places} NO_DEFAULT_PATH)
mark_as_advanced(LibTorch_INCLUDE_DIR LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY LibTorch_CUDART LibTorch_CUPTI)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch
  REQUIRED_VARS LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY LibTorch_INCLUDE_DIR LibTorch_CUDART LibTorch_CUPTI
  VERSION_VAR LibTorch_VERSION
  HANDLE_VERSION_RANGE
  REASON_FAILURE_MESSAGE "Run tests/run, which installs it, or name its folder in CMAKE_PREFIX_PATH, or configure with -DFUSER_WITH_LIBTORCH=OFF.")

if(LibTorch_FOUND AND NOT TARGET LibTorch::LibTorch)
  add_library(LibTorch::LibTorch INTERFACE IMPORTED)
  cmake_path(GET LibTorch_CUDART PARENT_PATH cudart_folder)
  cmake_path(GET LibTorch_CUPTI PARENT_PATH cupti_folder)
  # The CUDA libraries are linked by name although we call nothing in them: libtorch_cpu's own search path ends in folders
  # that only a full pip installation has, and a program's search path does not extend to its libraries' libraries.
  target_link_libraries(LibTorch::LibTorch INTERFACE "${LibTorch_CPU_LIBRARY}" "${LibTorch_C10_LIBRARY}"
    -Wl,--push-state,--no-as-needed "${LibTorch_CUDART}" "${LibTorch_CUPTI}" -Wl,--pop-state)
  # Programs that take their libraries with them (fuzz/oss-fuzz) find them by CMAKE_INSTALL_RPATH.
  if(NOT CMAKE_BUILD_WITH_INSTALL_RPATH)
    target_link_options(LibTorch::LibTorch INTERFACE "LINKER:-rpath,${root}/lib" "LINKER:-rpath,${cudart_folder}" "LINKER:-rpath,${cupti_folder}")
  endif()
  target_include_directories(LibTorch::LibTorch SYSTEM INTERFACE "${LibTorch_INCLUDE_DIR}")
endif()
