#!/bin/sh
# usage: compile.sh [OUT]  -- compiles the kernels to PTX beside the source, or to OUT; needs nvcc
#
# The PTX is for compute capability 7.5 and later. nvcc writes its own PTX version into the file, which older drivers
# refuse; the kernels use nothing newer than PTX 7.7, so that is what the file says, and ptxas checks it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/pointwise.ptx}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvcc --ptx -std=c++17 -O3 -arch=compute_75 -o "$work/nvcc.ptx" "$here/pointwise.cu"
{
    echo "// source sha256 $(sha256sum "$here/pointwise.cu" | cut -d ' ' -f 1)"
    sed 's/^\.version .*/.version 7.7/' "$work/nvcc.ptx"
} > "$work/pointwise.ptx"
ptxas -arch=sm_75 -o "$work/checked" "$work/pointwise.ptx"
mkdir -p "$(dirname "$out")"
mv "$work/pointwise.ptx" "$out"
