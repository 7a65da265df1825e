"""python -m ropewalk is the command ropewalk, which lies in the package."""

import os
import pathlib
import sys


def main():
    command = pathlib.Path(__file__).parent / "bin" / "ropewalk"
    try:
        os.execv(command, [str(command), *sys.argv[1:]])
    except OSError as error:
        print(f"ropewalk: {command}: {error.strerror}", file=sys.stderr)
        return 4


if __name__ == "__main__":
    sys.exit(main())
