#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the basics examples; options as in ../common/run-examples.sh.
. "$(dirname "$0")/../common/run-examples.sh"

run bufregister-write '{TMPDIR}/out' "$gpu"
run no-bufregister-write '{TMPDIR}/out' "$gpu"
run no-odirect-write '{TMPDIR}/out' "$gpu"
run iterative-read '{INPUT}' '{TMPDIR}/out' "$gpu"
run iterative-devmem-offset-read '{INPUT}' '{TMPDIR}/out' "$gpu"
run subregion-write '{INPUT}' '{TMPDIR}/out' "$gpu"
run various-mem-rw '{INPUT}' '{TMPDIR}/out' 1 "$gpu"
run various-mem-rw '{INPUT}' '{TMPDIR}/out' 2 "$gpu"
run various-mem-rw '{INPUT}' '{TMPDIR}/out' 3 "$gpu"
run roundtrip-verify '{TMPDIR}/created' '{TMPDIR}/copied' "$gpu"
run error-and-properties
finish
