#!/bin/sh
# SPDX-License-Identifier: MIT
# Copies a file with aiscp; options as in ../common/run-examples.sh.
. "$(dirname "$0")/../common/run-examples.sh"

run aiscp '{INPUT}' '{TMPDIR}/copy'
finish
