#!/bin/sh
# Makes every fixture of testdata/reference/ and prints the table of README.md.
# PYTHON: an interpreter with requirements.txt installed.
set -eu
cd "$(dirname "$0")"
for script in make_rope_fixtures make_model_fixtures make_axes_fixtures make_scaling_fixtures make_mrope_fixtures \
  make_deepseek_v4_fixtures make_angle_fixtures make_table_fixtures make_attention_fixtures make_attention_layer_fixtures \
  make_sdpa_fixtures make_onnx_attention_fixtures make_alibi_fixtures make_bucket_fixtures make_xpos_fixtures make_sinusoidal_fixtures make_exact_fixtures make_half_fixtures \
  make_position_fixtures make_attention_facts make_learned_fixtures; do
  "${PYTHON:-python3}" "$script.py"
done
"${PYTHON:-python3}" report.py
