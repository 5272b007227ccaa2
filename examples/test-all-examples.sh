#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the examples of every suite, with the options of common/run-examples.sh.
cd "$(dirname "$0")" || exit 1
status=0

for suite in api basics async batch aiscp; do
    "./$suite/test-examples.sh" "$@" || status=1
done
exit $status
