# cmake -DPROGRAM=<libFuzzer program> -DCORPUS=<seeds> -DWORK=<folder> -DRUNS=<n> -P run_libfuzzer.cmake
# The seeds and inputs made from them, RUNS in all, the same in every run. A finding stays in WORK.

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}/new")
execute_process(COMMAND "${PROGRAM}" -seed=1 -runs=${RUNS} -max_len=8192 -timeout=60 -rss_limit_mb=4096 -print_final_stats=1
  "-artifact_prefix=${WORK}/" "${WORK}/new" "${CORPUS}" RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${result}; its input lies in ${WORK}")
endif()
