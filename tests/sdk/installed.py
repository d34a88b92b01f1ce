"""The SDKs at their pinned versions: a virtual environment and a `node_modules`, made once and again after a change."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

PYTHON_SDKS = ("openai", "anthropic", "google-genai")
NODE_SDKS = ("openai", "@anthropic-ai/sdk", "@google/genai", "flexinference")
# The vendors' current Node SDKs refuse, or silently are older ones, below this.
OLDEST_NODE = 22


def python(here: Path) -> Path:
    """The interpreter that has the Python SDKs."""
    folder = here / ".venv"
    interpreter = folder / "bin" / "python"
    requirements = here / "python" / "requirements.txt"

    def install() -> None:
        make_environment(folder)
        call(interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps",
             "--requirement", requirements)  # fmt: skip

    once(folder / "installed", [requirements], install)
    return interpreter


def make_environment(folder: Path) -> None:
    command = [sys.executable, "-m", "venv", "--clear", folder]
    if subprocess.run(command, capture_output=True).returncode == 0:
        return
    # Debian keeps what `venv` needs in a package of its own.
    apt = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "-qq"], check=True, env=apt, stdout=sys.stderr)
    subprocess.run(["apt-get", "install", "-y", "-qq", "python3-venv"], check=True, env=apt, stdout=sys.stderr)
    call(*command)


def node(here: Path) -> Path:
    """The Node that the package `node` brings; the machine's own may be too old for the SDKs."""
    folder = here / "node"
    binary = folder / "node_modules" / "node" / "bin" / "node"

    def install() -> None:
        # Not an error: the machine's own Node, which only runs npm, may be older than the SDKs ask for.
        call("npm", "ci", "--no-audit", "--no-fund", "--loglevel=error", "--engine-strict=false", cwd=folder)

    once(folder / "node_modules" / ".installed", [folder / "package.json", folder / "package-lock.json"], install)
    version = call(binary, "--version").strip()
    if int(version.removeprefix("v").split(".")[0]) < OLDEST_NODE:
        raise SystemExit(f"the SDKs need Node {OLDEST_NODE}, the package brought {version}")
    return binary


def once(stamp: Path, inputs: list[Path], install) -> None:
    """Installs, unless that was done with the same inputs before."""
    wanted = hashlib.sha256(b"".join(path.read_bytes() for path in inputs)).hexdigest()
    if stamp.exists() and stamp.read_text() == wanted:
        return
    install()
    stamp.write_text(wanted)


def versions(here: Path, interpreter: Path, binary: Path) -> list[str]:
    """One line a language: what is really installed, which must be what is pinned."""
    ask = "import sys, importlib.metadata as m; print(*[m.version(name) for name in sys.argv[1:]])"
    found = dict(zip(PYTHON_SDKS, call(interpreter, "-c", ask, *PYTHON_SDKS).split()))
    pinned = dict(line.split("==") for line in (here / "python" / "requirements.txt").read_text().split())
    own = call(interpreter, "-c", "import platform; print(platform.python_version())").strip()
    lines = [described("Python", own, found, pinned)]

    modules = here / "node" / "node_modules"
    found = {name: json.loads((modules / name / "package.json").read_text())["version"] for name in NODE_SDKS}
    pinned = json.loads((here / "node" / "package.json").read_text())["dependencies"]
    lines.append(described("Node", call(binary, "--version").strip().removeprefix("v"), found, pinned))
    return lines


def described(language: str, own: str, found: dict[str, str], pinned: dict[str, str]) -> str:
    for name, version in found.items():
        if version != pinned[name]:
            raise SystemExit(f"{language} {name} is {version}, pinned is {pinned[name]}")
    return f"{language} {own}: " + ", ".join(f"{name} {version}" for name, version in found.items())


def call(*command, cwd: Path | None = None) -> str:
    """The command's output; it must succeed."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    if done.returncode != 0:
        words = " ".join(map(str, command))
        raise SystemExit(f"{words} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout
