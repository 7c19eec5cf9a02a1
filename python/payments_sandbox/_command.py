"""Finds the sandbox: a command line of the user's, a binary on the PATH, or the one file with what runs it."""

import os
import shlex
import shutil
from pathlib import Path

ONE_FILE = Path(__file__).with_name("payments-sandbox.mjs")
RUNTIMES = {"node": [], "bun": [], "deno": ["run", "-A"]}


def command():
    """The words that start it."""
    said = os.environ.get("PAYMENTS_SANDBOX_COMMAND")
    if said:
        return shlex.split(said)
    binary = shutil.which("payments-sandbox")
    if binary is not None:
        return [binary]
    if ONE_FILE.exists():
        for name, words in RUNTIMES.items():
            runtime = shutil.which(name)
            if runtime is not None:
                return [runtime, *words, str(ONE_FILE)]
    raise FileNotFoundError(
        "payments-sandbox is not on the PATH, and neither node, bun nor deno is: "
        "put one of them there, or name the command in PAYMENTS_SANDBOX_COMMAND"
    )
