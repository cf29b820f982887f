# What `cmake --install` installs, in components:
#   library     fuser/runtime and the layers that it uses: libraries, headers as <fuser/…/….h>, what find_package needs
#   transports  the layers between devices that need more than that (MPI, NCCL)
#   programs    fuserfuzz, fuser-opt
# Another project then writes find_package(fuser) and links fuser::fuser, or single layers by their path with '_' for '/':
# fuser::text, fuser::host_run. find_package(fuser COMPONENTS transports) adds fuser::communicate_mpi and …_nccl.
# tests/install does that in ctest.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(FUSER_PACKAGE_FOLDER "${CMAKE_INSTALL_LIBDIR}/cmake/fuser")

# Appends to <result> the layers that the targets given are, and those that they use.
function(_layers_below result)
  set(found ${${result}})
  foreach(target IN LISTS ARGN)
    if(TARGET ${target} AND target MATCHES "^fuser_" AND NOT target IN_LIST found)
      list(APPEND found ${target})
      get_target_property(uses ${target} INTERFACE_LINK_LIBRARIES)
      _layers_below(found ${uses})
    endif()
  endforeach()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# The folder of a layer's target.
function(_folder_of target result)
  foreach(folder IN LISTS FUSER_LAYERS)
    _target_name(${folder} name)
    if(name STREQUAL target)
      set(${result} ${folder} PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# Layers and their headers, as one component and one file of exported targets.
function(_install_layers component)
  foreach(target IN LISTS ARGN)
    _folder_of(${target} folder)
    string(REGEX REPLACE "^fuser_" "" name ${target})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
    # A header's functions are also compiled into the libraries, so both sides round alike.
    target_include_directories(${target} INTERFACE "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
    target_compile_features(${target} INTERFACE cxx_std_20)
    target_compile_options(${target} INTERFACE "$<INSTALL_INTERFACE:${FUSER_ROUNDING_FLAGS}>")
    install(TARGETS ${target} EXPORT fuser-${component}
            ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}/fuser" COMPONENT ${component})
    file(GLOB headers CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/${folder}/*.h" "${CMAKE_SOURCE_DIR}/${folder}/*.def"
         "${CMAKE_SOURCE_DIR}/${folder}/*.cuh")
    install(FILES ${headers} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/${folder}" COMPONENT ${component})
  endforeach()
  install(EXPORT fuser-${component} NAMESPACE fuser:: DESTINATION "${FUSER_PACKAGE_FOLDER}" COMPONENT ${component})
endfunction()

function(install_fuser)
  set(library "")
  _layers_below(library fuser_runtime)
  set(transports "")
  foreach(target IN ITEMS fuser_communicate_mpi fuser_communicate_nccl)
    if(TARGET ${target})
      list(APPEND transports ${target})
    endif()
  endforeach()

  _install_layers(library ${library})
  add_library(fuser INTERFACE)
  target_link_libraries(fuser INTERFACE ${library})
  install(TARGETS fuser EXPORT fuser-library COMPONENT library)
  if(transports)
    _install_layers(transports ${transports})
  endif()

  configure_file("${CMAKE_SOURCE_DIR}/.cmake/fuser-config.cmake" "${CMAKE_BINARY_DIR}/package/fuser-config.cmake" COPYONLY)
  write_basic_package_version_file("${CMAKE_BINARY_DIR}/package/fuser-config-version.cmake" COMPATIBILITY SameMinorVersion)
  install(FILES "${CMAKE_BINARY_DIR}/package/fuser-config.cmake" "${CMAKE_BINARY_DIR}/package/fuser-config-version.cmake"
          DESTINATION "${FUSER_PACKAGE_FOLDER}" COMPONENT library)

  foreach(program IN ITEMS fuserfuzz fuser-opt)
    if(TARGET ${program})
      set_target_properties(${program} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
      install(TARGETS ${program} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT programs)
    endif()
  endforeach()
endfunction()

# installed_example(<folder> USES <folder>…)
#   The project in <folder>, which is none of this build: a ctest entry installs the component library into
#   <build>/installed, builds the project against it, runs its program, and compares what that prints with expected.txt.
function(installed_example folder)
  _record(${folder} ${ARGN})
  if(NOT BUILD_TESTING)
    return()
  endif()
  set(flags ${CMAKE_CXX_FLAGS})
  if(FUSER_SANITIZE)
    string(APPEND flags " -fsanitize=${FUSER_SANITIZE}")
  endif()
  if(FUSER_COVERAGE)
    string(APPEND flags " --coverage")
  endif()
  cmake_path(GET folder PARENT_PATH test)
  string(REGEX REPLACE "^tests/" "" name "${test}")
  add_test(NAME ${name} COMMAND "${CMAKE_COMMAND}" "-DBUILD=${CMAKE_BINARY_DIR}" "-DPROJECT=${CMAKE_SOURCE_DIR}/${folder}"
    "-DCOMPILER=${CMAKE_CXX_COMPILER}" "-DFLAGS=${flags}" -P "${CMAKE_SOURCE_DIR}/${test}/install_test.cmake")
  set_tests_properties(${name} PROPERTIES TIMEOUT 400)
endfunction()
