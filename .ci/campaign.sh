# Sourced by .ci/fuzz-change and .ci/fuzz-night.
# shellcheck shell=bash

# campaign <seconds> <out> [arguments of fuserfuzz run]: runs fuzz/nightly, with FUSER_FUZZ_SEED as the seed where --seed
# names none, says in a sentence how it ended, and ends with its exit code.
campaign() {
  local status=0 seconds=$1 out=$2 seed=()
  shift 2
  if [ -n "${FUSER_FUZZ_SEED:-}" ] && [ -z "$(value --seed "$@")" ]; then seed=(--seed "$FUSER_FUZZ_SEED"); fi
  "$(dirname "${BASH_SOURCE[0]}")/../fuzz/nightly" --max-total-time "$seconds" --out "$out" \
    "${seed[@]}" "$@" || status=$?
  case $status in
    0) echo "Exit code 0: nothing was found." ;;
    70) echo "Exit code 70: of findings, hangs alone; $out/report.html shows them." ;;
    71) echo "Exit code 71: of findings, exhausted memory alone; $out/report.html shows them." ;;
    72) echo "Exit code 72: the campaign was interrupted; to go on, add --resume." ;;
    77) echo "Exit code 77: something was found; $out/report.html shows it." ;;
    *) echo "Exit code $status: no campaign; the lines above say why." ;;
  esac
  exit $status
}

# value <option> <arguments…>: the value that an option has among arguments: --out DIR or --out=DIR; nothing without it.
value() {
  local option=$1 found=''
  shift
  while [ $# -gt 0 ]; do
    case $1 in
      "$option") found=${2:-} ;;
      "$option"=*) found=${1#*=} ;;
    esac
    shift
  done
  echo "$found"
}
