#!/usr/bin/env bash
# Prints the path of oha, the load generator, in the version that the results were taken with; builds it first when it
# is not there. It is kept outside the repository, in STARTLINE_CACHE (default: ~/.cache/startline).
set -euo pipefail

version=1.16.0
cache=${STARTLINE_CACHE:-$HOME/.cache/startline}
root=$cache/oha-$version

if [[ ! -x $root/bin/oha ]]; then
    # A target folder of its own, so that the build neither waits for another one nor fills it.
    CARGO_TARGET_DIR=$cache/oha-target cargo install oha --version "$version" --locked --root "$root" \
        --no-default-features --features rustls >&2
    rm -rf "$cache/oha-target"
fi
echo "$root/bin/oha"
