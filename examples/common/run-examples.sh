# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What the test-examples.sh scripts share: they source this file, call "run" for each example and
# end with "finish".
#
# Options of each script:
#   --build-root DIR   the build tree, with the programs in DIR/bin   (default: build/ beside examples/)
#   --test-dir DIR     where the files go: a file system with O_DIRECT (default: $TMPDIR, else /tmp)
#   --gpu N            the device                                     (default: 0)
#   --compat-off       forbid compat mode: what cannot be moved directly fails

suite_dir=$(cd "$(dirname "$0")" && pwd)
suite=$(basename "$suite_dir")
build_root=$suite_dir/../../build
test_dir=${TMPDIR:-/tmp}
gpu=0
passed=0
failed=0

usage() {
    echo "Usage: $0 [--build-root DIR] [--test-dir DIR] [--gpu N] [--compat-off]" >&2
    exit 1
}

while [ $# -gt 0 ]; do
    case $1 in
    --build-root) build_root=${2:?"--build-root needs a directory"} && shift ;;
    --test-dir) test_dir=${2:?"--test-dir needs a directory"} && shift ;;
    --gpu) gpu=${2:?"--gpu needs a number"} && shift ;;
    --compat-off) export HIPFILE_ALLOW_COMPAT_MODE=false ;;
    *) usage ;;
    esac
    shift
done

# run PROGRAM ARG...: {TMPDIR} in an argument is a directory of its own, {INPUT} a file in it.
# A megabyte and a bit: no whole number of blocks.
run() {
    program=$1
    shift
    if output=$("$build_root/bin/examples_tmpdriver" --base "$test_dir" --seed-input 1049601 -- \
        "$build_root/bin/$program" "$@" 2>&1); then
        echo "PASS  $suite/$program"
        passed=$((passed + 1))
    else
        echo "FAIL  $suite/$program $*"
        failed=$((failed + 1))
    fi
    [ -z "$output" ] || printf '%s\n' "$output" | sed 's/^/      /'
}

finish() {
    echo "$suite: $passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
