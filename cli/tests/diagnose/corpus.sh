# Faults that NumPy put into rotations (tools/diagnose_corpus.py --write): positions 37..40, two heads, f16.
for before in testdata/diagnose/*/before.npy; do
  folder=${before%/*}
  positions=37..41
  [[ -e $folder/positions.npy ]] && positions=$folder/positions.npy
  for after in "$folder"/*.npy; do
    case $after in */before.npy | */positions.npy) continue ;; esac
    found=$(ropewalk diagnose "testdata/models/${folder##*/}" --before "$before" --after "$after" --positions "$positions")
    code=$? fault=$(basename "$after" .npy | tr _ ' ')
    printf '%s, %s: exit code %s\n' "${folder##*/}" "$fault" $code
    grep -E '^(fault|or|to tell|nothing)' <<<"$found"
  done
done
