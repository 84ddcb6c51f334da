# shellcheck shell=bash
# What the scripts share; sourced, never run. Leaves the caller in the root of the repository.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
root=$PWD

# Checkouts in different directories share one compiler cache.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
export NINJA_STATUS='[%f/%t] '

say() { printf '== %s\n' "$*" >&2; }
die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 2
}

# Prints the comment at the top of the calling script, which is its help.
show_help() { awk 'NR > 1 && !/^#/ { exit } NR > 1 { sub(/^# ?/, ""); print }' "script/${0##*/}"; }

jobs() { echo "${STICTION_JOBS:-$(nproc)}"; }

# source_files DIR...: the C++ files under version control (all of them where there is no git), separated by NUL.
source_files() {
  if git ls-files --error-unmatch CMakeLists.txt >/dev/null 2>&1; then
    # New files count before they are added; deleted ones do not.
    git ls-files -z --cached --others --exclude-standard -- "$@" | while IFS= read -r -d '' file; do
      if [[ $file == *.@(cc|h) && -f $file ]]; then printf '%s\0' "$file"; fi
    done
  else
    find "$@" -path ./build -prune -o -path ./out -prune -o -type f \( -name '*.cc' -o -name '*.h' \) -print0
  fi
}

# Formatting is that of version 14, the one of Debian 12; others differ in details.
clang_format() {
  if command -v clang-format-14 >/dev/null; then clang-format-14 "$@"; else clang-format "$@"; fi
}

# configure PRESET: says something only when it fails or warns.
configure() {
  cmake --preset "$1" "${@:2}" --log-level=WARNING >/dev/null || {
    echo "Configuring preset '$1' failed. To see all of it: cmake --preset $1" >&2
    echo "If build/$1 was made on another system or path, remove it and try again: rm -r build/$1" >&2
    return 1
  }
}

# Passes on what ninja says: of the lines "[12/290] ..." one per tenth of the work or half a minute, with the time taken;
# everything else as it is.
condense_progress() {
  local line finished total begin=$SECONDS last_time=$SECONDS last_tenth=0
  while IFS= read -r line; do
    if [[ ! $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
      printf '%s\n' "$line"
      continue
    fi
    finished=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
    if ((10 * finished / total > last_tenth || SECONDS - last_time >= 30)); then
      last_tenth=$((10 * finished / total)) last_time=$SECONDS
      printf '[%d/%d] %d min %02d s\n' "$finished" "$total" $(((SECONDS - begin) / 60)) $(((SECONDS - begin) % 60))
    fi
  done
}

# build PRESET [TARGET...]: one line that updates on a terminal; in a pipe a line now and then, and what goes wrong.
build() {
  local command=(cmake --build --preset "$1" -j "$(jobs)" ${2:+--target "${@:2}"})
  if [[ -t 1 ]]; then
    "${command[@]}"
  else
    "${command[@]}" | condense_progress
    return "${PIPESTATUS[0]}"
  fi
}
