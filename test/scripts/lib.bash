# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What the test scripts of the examples share. A script sources this file, runs its cases with ok
# and skip, and ends with finish. Its files go to $work, which is removed at the end.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source_dir=${SOURCE_DIR:-$(cd "$here/../.." && pwd)}
build_dir=${BUILD_DIR:-$source_dir/build}
bin=$build_dir/bin

cases=0
failures=0

work=$(mktemp -d "${TMPDIR:-/var/tmp}/hipfile-test.XXXXXX") || exit 1
cleanup_work() {
    may_mount && awk -v "at=$work/" 'index($5, at) == 1 { print $5 }' /proc/self/mountinfo |
        tac | xargs -r umount
    rm -rf --one-file-system "$work"
}
trap cleanup_work EXIT

# ok WHAT COMMAND ARG...: a case, which passes if the command succeeds.
ok() {
    local what=$1
    shift
    cases=$((cases + 1))
    "$@" && return
    failures=$((failures + 1))
    echo "FAILED: $what"
    if [ -n "${status-}" ]; then
        echo "  exit status $status; stdout, stderr:"
        head -n 20 "$work/out" "$work/err" | sed 's/^/  | /'
    fi
    return 1
}

# A part is left out, or the whole test.
skip() {
    echo "SKIP: $*"
}
skip_all() {
    skip "$@"
    exit 77
}

finish() {
    echo "$cases cases, $failures failures"
    [ "$failures" = 0 ]
    exit
}

# run PROGRAM ARG...: leaves $status, $work/out and $work/err.
run() {
    "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
}

# fails TEXT PROGRAM ARG...: exit status 1, nothing on stdout, and TEXT in the message on stderr.
fails() {
    local text=$1
    shift
    run "$@"
    [ "$status" = 1 ] && [ ! -s "$work/out" ] && grep -qF -- "$text" "$work/err"
}

# random FILE BYTES
random() {
    head -c "$2" /dev/urandom >"$1"
}

# fnv1a FILE: its 64-bit FNV-1a hash, reckoned independently of the examples.
fnv1a() {
    perl -e 'use integer;
        my $hash = -3750763034362895579;
        while (read(STDIN, my $bytes, 65536)) {
            $hash = ($hash ^ $_) * 1099511628211 for unpack("C*", $bytes);
        }
        printf("0x%016x\n", $hash);' <"$1"
}

# says LINE PROGRAM ARG...: success, LINE alone on stdout, nothing on stderr.
says() {
    local line=$1
    shift
    run "$@"
    [ "$status" = 0 ] && [ ! -s "$work/err" ] && printf '%s\n' "$line" | cmp -s - "$work/out"
}

# bad_arguments PROGRAM ARG...: a usage message.
bad_arguments() {
    ok "$*: wrong arguments" fails "Usage: " "$@"
}

# cached VARIABLE: what the build was configured with.
cached() {
    sed -n "s/^$1:[A-Z]*=//p" "$build_dir/CMakeCache.txt"
}

# True in a build with a sanitizer, which goes neither with valgrind nor with a preloaded library.
sanitized() {
    [ -n "$(cached HIPFILE_SANITIZE)" ]
}

# compile ARG...: as the examples were compiled in this build.
compile() {
    local sanitizer
    sanitizer=$(cached HIPFILE_SANITIZE)
    "$(cached CMAKE_C_COMPILER)" ${sanitizer:+"-fsanitize=$sanitizer"} -std=c11 -Wall -Wextra \
        -D__HIP_PLATFORM_AMD__ -I "$source_dir/include" -I "$source_dir/hiplite/include" "$@"
}

# mount_new DIR TYPE SIZE: makes and mounts a new file system. Mounts live in a namespace of the
# script's own (own_mounts), and so go with it.
mount_new() {
    local dir=$1 type=$2 size=$3
    mkdir -p "$dir" || return
    case $type in
    tmpfs)
        mount -t tmpfs -o "size=$size" tmpfs "$dir"
        ;;
    overlay)
        mkdir "$dir.lower" "$dir.upper" "$dir.work" &&
            mount -t overlay -o "lowerdir=$dir.lower,upperdir=$dir.upper,workdir=$dir.work" \
                overlay "$dir"
        ;;
    *)
        truncate -s "$size" "$dir.img" && "mkfs.$type" -q "$dir.img" >/dev/null &&
            mount -o loop "$dir.img" "$dir"
        ;;
    esac
}

# Starts the script over in a mount namespace of its own; without the means to, it goes on as it is.
own_mounts() {
    if [ -z "${HIPFILE_TEST_OWN_MOUNTS-}" ] && unshare --mount true 2>/dev/null; then
        cleanup_work
        HIPFILE_TEST_OWN_MOUNTS=1 exec unshare --mount --propagation private "$0" "$@"
    fi
}
may_mount() {
    [ -n "${HIPFILE_TEST_OWN_MOUNTS-}" ]
}

# without_root COMMAND ARG...: root's right to read and write every file does not count.
without_root() {
    if [ "$(id -u)" = 0 ]; then
        setpriv --bounding-set=-dac_override,-dac_read_search "$@"
    else
        "$@"
    fi
}
