# check(<name> [NEEDS <target>…] COMMAND <command>…)
#   The target <name>: what takes too long for ctest. It runs in the repository root. Nothing where a target of NEEDS is
#   left out of the build, and says so.
# finish_checks() makes
#   check_all        every check, one after the other; with `-- -k 0` it goes on after one that fails
#   check_programs   builds what they need, so that no compiler runs beside them
# tests/README.md says what each one takes; `.ci/run --deep` runs them.

function(check name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "NEEDS;COMMAND")
  foreach(target IN LISTS arg_NEEDS)
    if(NOT TARGET ${target})
      message(STATUS "${name} is left out: it needs ${target}")
      return()
    endif()
  endforeach()
  # USES_TERMINAL: Ninja runs such targets one at a time.
  add_custom_target(${name} COMMAND ${arg_COMMAND} WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}" USES_TERMINAL VERBATIM)
  if(arg_NEEDS)
    add_dependencies(${name} ${arg_NEEDS})
  endif()
  set_property(GLOBAL APPEND PROPERTY FUSER_CHECKS ${name})
  set_property(GLOBAL APPEND PROPERTY FUSER_CHECK_PROGRAMS ${arg_NEEDS})
endfunction()

function(finish_checks)
  get_property(checks GLOBAL PROPERTY FUSER_CHECKS)
  get_property(programs GLOBAL PROPERTY FUSER_CHECK_PROGRAMS)
  list(REMOVE_DUPLICATES programs)
  add_custom_target(check_all)
  add_custom_target(check_programs)
  foreach(check IN LISTS checks)
    add_dependencies(check_all ${check})
  endforeach()
  foreach(program IN LISTS programs)
    add_dependencies(check_programs ${program})
  endforeach()
endfunction()
