"""Finds the sandbox: a command line of the user's, a binary on the PATH, or the one file with what runs it."""

import os
import shlex
import shutil
import sysconfig
from pathlib import Path

ONE_FILE = Path(__file__).with_name("payments-sandbox.mjs")
RUNTIMES = {"node": [], "bun": [], "deno": ["run", "-A"]}


def command():
    """The words that start it."""
    said = os.environ.get("PAYMENTS_SANDBOX_COMMAND")
    if said:
        return shlex.split(said)
    # Without the folder of this package's own script, which would start itself.
    own = os.path.realpath(sysconfig.get_path("scripts"))
    others = [one for one in os.get_exec_path() if os.path.realpath(one) != own]
    binary = shutil.which("payments-sandbox", path=os.pathsep.join(others))
    if binary is not None:
        return [binary]
    if ONE_FILE.exists():
        for name, words in RUNTIMES.items():
            runtime = shutil.which(name)
            if runtime is not None:
                return [runtime, *words, str(ONE_FILE)]
    raise FileNotFoundError(
        "needs Node 20 or newer, Bun or Deno on the PATH, or the binary payments-sandbox; "
        "PAYMENTS_SANDBOX_COMMAND names another command"
    )
