#!/usr/bin/env bash
# Installs the software that bench/peers measures beside ropewalk: tools/install_bench_peers.sh [FOLDER]
# FOLDER becomes a virtual environment of Python (default build-bench/peers-venv). Each package that
# cannot be had is named and left out; its peer then says that it is absent. PyPI's torch for x86-64
# brings gigabytes for GPUs; where PyTorch's index of CPU wheels is in reach, set
# TORCH_INDEX=https://download.pytorch.org/whl/cpu to save them. SLEEF is a package of Debian:
# apt-get install libsleef-dev.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-build-bench/peers-venv}

[[ -x $folder/bin/python ]] || "${PYTHON:-python3}" -m venv "$folder"

install() {
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "$@" ||
    echo "tools/install_bench_peers.sh: could not install ${*: -1}" >&2
}

install numpy==2.4.6
install ${TORCH_INDEX:+--index-url "$TORCH_INDEX"} torch==2.15.0
install onnx==1.23.2
install onnxruntime==1.32.0
# For the ggml 0.13.1 inside; what else the wheel needs is for speech.
install --no-deps pywhispercpp==1.5.1

echo "run, after script/bench has built the library: $folder/bin/python bench/peers/<peer>.py"
