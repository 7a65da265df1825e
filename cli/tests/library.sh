# shellcheck shell=bash
# What the cases may use; bash reads it before each of them.

# Runs a command and prints it, what it prints, and its exit code, so that one case can show several.
try() {
  printf '$ %s\n' "$*"
  # Through a file: the two streams must not mix.
  "$@" 2>.err
  local code=$?
  sed 's/^/stderr: /' .err
  rm .err
  [[ $code == 0 ]] || printf 'exit code %s\n' "$code"
}

# `npy '<f4' '(1, 1, 4)'` prints the start of an .npy file; its numbers follow. A third argument is for fortran_order.
npy() {
  local header="{'descr': '$1', 'fortran_order': ${3-False}, 'shape': $2, }" length
  printf -v length '\\x%02x\\x00' ${#header}
  printf '\x93NUMPY\x01\x00%b%s' "$length" "$header"
}

# `safetensors HEADER` prints the start of a .safetensors file with this JSON header.
safetensors() {
  local length
  printf -v length '\\x%02x\\x%02x' $((${#1} % 256)) $((${#1} / 256))
  printf '%b\x00\x00\x00\x00\x00\x00%s' "$length" "$1"
}

# 1, 2, 3, 4 as float32, for printf.
# shellcheck disable=SC2034
one_to_four='\x00\x00\x80\x3f\x00\x00\x00\x40\x00\x00\x40\x40\x00\x00\x80\x40'

# The float32 numbers of an .npy file whose header takes 128 bytes, as all that numpy and ropewalk write for few
# dimensions.
numbers() { od -An -v -t f4 -w4 -j 128 "$1"; }
# The last bits of attention differ from one instruction set to another.
rounded() { awk '{ printf "%.5f\n", $1 }'; }

# `within TOLERANCE A.npy B.npy`: no number of one is farther than that from the other's.
within() {
  if ! paste <(numbers "$2") <(numbers "$3") | awk -v most="$1" '
      NF != 2 { bad = "one file is longer"; exit 1 }
      { d = $1 - $2; if (d < 0) d = -d; if (!(d <= most)) { bad = $1 " is not " $2; exit 1 } }
      END { if (NR == 0) bad = "no numbers"; if (bad) { print "number " NR ": " bad; exit 1 } }'; then
    echo "$2 and $3 differ by more than $1"
    return 1
  fi
  echo "$2 is $3 within $1"
}

# No file but those named is here: nothing partial was left behind.
left() {
  echo "left: $(find . -mindepth 1 ! -type l -printf '%P\n' | sort | tr '\n' ' ')"
}

# The first N lines; unlike head it reads the rest too, so that the writer never meets a closed pipe.
first() { sed -n "1,$1p"; }

# How the files of pictures begin.
is_png() { [[ $(od -An -t x1 -N 8 "$1") == " 89 50 4e 47 0d 0a 1a 0a" ]] && echo "$1 is a PNG picture"; }
is_svg() { grep -q '<svg ' "$1" && echo "$1 is an SVG picture"; }

# The shape and type that an .npy file states.
header_of() { head -c 128 "$1" | LC_ALL=C sed -n "s/.*\({.*}\).*/\1/p"; }

# `ranks N COMMAND ...` starts it N times, as mpirun does: as root and in a container, more ranks than processors, without
# the copies from process to process that a container may forbid. Of what mpirun itself says stays which rank died.
ranks() {
  local count=$1 code
  shift
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMP_NUM_THREADS=1 \
    OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_btl=self,vader OMPI_MCA_mpi_yield_when_idle=1 \
    mpirun --bind-to none -n "$count" "$@" 2>.mpirun
  code=$?
  sed -n '/^ropewalk: /p; s/^\(mpirun noticed that process rank [0-9]*\).* exited/\1 exited/p' .mpirun >&2
  rm .mpirun
  return $code
}
