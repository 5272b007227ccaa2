#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the api examples; options as in ../common/run-examples.sh.
. "$(dirname "$0")/../common/run-examples.sh"

run get-version
finish
