#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the async examples; options as in ../common/run-examples.sh.
. "$(dirname "$0")/../common/run-examples.sh"

run roundtrip-async '{TMPDIR}/read' '{TMPDIR}/write' "$gpu"
run roundtrip-async-nonblocking-stream '{TMPDIR}/read' '{TMPDIR}/write' "$gpu"
run roundtrip-async-multi-stream '{TMPDIR}/read' '{TMPDIR}/write' "$gpu"
run roundtrip-async-multi-stream-registered '{TMPDIR}/read' '{TMPDIR}/write' "$gpu"
finish
