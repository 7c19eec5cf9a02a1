"""The command line: `payments-sandbox ARGS` and `python -m payments_sandbox ARGS`."""

import subprocess
import sys

from ._command import command


def main():
    """Runs the sandbox's command with this process's arguments and exits with its code."""
    try:
        words = command()
    except FileNotFoundError as missing:
        sys.exit(f"payments-sandbox: {missing}")
    try:
        sys.exit(subprocess.call([*words, *sys.argv[1:]]))
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
