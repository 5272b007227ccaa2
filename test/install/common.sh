# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
# What the scripts in this folder share: they source this file. (No grep -q at the end of a pipe
# here: it leaves early, and the pipe's writer then fails the whole pipe.)
set -uo pipefail
source_dir=${SOURCE_DIR:?}
build_dir=${BUILD_DIR:?}
work=$(mktemp -d "${TMPDIR:-/tmp}/hipfile-install.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

skip() {
    echo "SKIP: $*"
    exit 77
}

need() { # COMMAND ...
    local command
    for command in "$@"; do
        command -v "$command" >/dev/null || skip "needs $command"
    done
}

# Programs built outside the tree cannot load sanitized libraries.
need_plain_build() {
    grep -q '^HIPFILE_SANITIZE:[A-Z]*=.' "$build_dir/CMakeCache.txt" && skip "not under a sanitizer"
}

# TITLE COMMAND ...: the command must succeed; its output is shown only if it does not.
expect() {
    local title=$1
    shift
    if "$@" >"$work/output" 2>&1; then
        echo "ok    $title"
    else
        echo "FAIL  $title"
        tail -n 40 "$work/output" | sed 's/^/      /'
        failures=$((failures + 1))
    fi
}

install_to() { # PREFIX [CMAKE_OPTION ...]
    local prefix=$1
    shift
    cmake --install "$build_dir" --prefix "$prefix" "$@" >"$work/install.log" 2>&1 ||
        { cat "$work/install.log"; exit 1; }
}

finish() {
    exit $((failures > 0))
}
