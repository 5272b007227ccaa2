#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the batch example; options as in ../common/run-examples.sh.
. "$(dirname "$0")/../common/run-examples.sh"

run batch-roundtrip '{TMPDIR}/read' '{TMPDIR}/write' 10485777 "$gpu"
finish
