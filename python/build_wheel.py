"""Makes the wheel of this folder with Python alone, offline: the same bytes for the same files."""

import base64
import hashlib
import re
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
ONE_FILE = HERE.parent / "dist" / "payments-sandbox.mjs"


def value(name):
    """A line of pyproject.toml: tomllib is not in every Python that runs this."""
    return re.search(rf'^{name} = "(.*)"$', (HERE / "pyproject.toml").read_text(), re.M).group(1)


def main(folder):
    version = value("version")
    info = f"payments_sandbox-{version}.dist-info"
    files = {f"payments_sandbox/{path.name}": path.read_bytes() for path in sorted((HERE / "payments_sandbox").iterdir()) if path.suffix == ".py" or path.name == "py.typed"}
    if not ONE_FILE.exists():
        sys.exit(f"{ONE_FILE} is missing: npm run build makes it")
    files["payments_sandbox/payments-sandbox.mjs"] = ONE_FILE.read_bytes()
    files[f"{info}/METADATA"] = "\n".join(
        [
            "Metadata-Version: 2.1",
            "Name: payments-sandbox",
            f"Version: {version}",
            f"Summary: {value('description')}",
            "License: MIT",
            f"Requires-Python: {value('requires-python')}",
            "Classifier: Framework :: Pytest",
            "Description-Content-Type: text/markdown",
            "",
            (HERE / "README.md").read_text(),
        ]
    ).encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: build_wheel\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[f"{info}/entry_points.txt"] = (
        b"[console_scripts]\npayments-sandbox = payments_sandbox.__main__:main\n\n"
        b"[pytest11]\npayments_sandbox = payments_sandbox.pytest_plugin\n"
    )
    for notice in ("LICENSE", "THIRD-PARTY.md"):
        files[f"{info}/licenses/{notice}"] = (HERE.parent / notice).read_bytes()
    record = f"{info}/RECORD"
    rows = [f"{name},sha256={digest(data)},{len(data)}" for name, data in files.items()]
    files[record] = "\n".join([*rows, f"{record},,", ""]).encode()
    wheel = Path(folder) / f"payments_sandbox-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    print(wheel)


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
