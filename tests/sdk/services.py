"""The simulator of the providers and the router in front of it, as the programs that a user runs."""

import contextlib
import hashlib
import json
import re
import secrets
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Iterator
from pathlib import Path

STARTED_WITHIN = 15
STOPPED_WITHIN = 15
LOG_LINES_KEPT = 200
ADDRESS = re.compile(r"127\.0\.0\.1:[1-9]\d*")
SETTINGS = """
[server]
listen = "127.0.0.1:0"
[providers.openai]
base_url = "{simulator}"
api_key = "sk-simulated"
[providers.gemini]
base_url = "{simulator}"
api_key = "AIza-simulated"
[providers.anthropic]
base_url = "{simulator}"
api_key = "sk-ant-simulated"
[keys]
router = [{{ key = "{key}", label = "sdk tests" }}]
"""


def build(repository: Path) -> dict[str, str]:
    """Builds both programs; where each one lies, by name."""
    command = ["cargo", "build", "--quiet", "--locked", "--package", "startline", "--package", "startline-load", "--bins",
               "--message-format", "json-render-diagnostics"]  # fmt: skip
    built = subprocess.run(command, cwd=repository, check=True, stdout=subprocess.PIPE, text=True)
    messages = [json.loads(line) for line in built.stdout.splitlines()]
    return {message["target"]["name"]: message["executable"] for message in messages if message.get("executable")}


@contextlib.contextmanager
def running(programs: dict[str, str], scratch: Path, environment: dict[str, str]) -> Iterator[dict[str, str]]:
    """Both programs for as long as the block lasts; gives the variables that tell the suites where they are."""
    with contextlib.ExitStack() as stack:
        simulator = Program([programs["simulator"], "--listen", "127.0.0.1:0"], environment)
        stack.callback(simulator.stop)
        key = router_key()
        settings = scratch / "startline.toml"
        settings.touch(mode=0o600)
        settings.write_text(SETTINGS.format(simulator=simulator.address("listens on"), key=key))
        router = Program([programs["startline"], "serve", "--config", str(settings)], environment)
        stack.callback(router.stop)
        yield {
            "SDK_TEST_ROUTER": router.address("listening"),
            "SDK_TEST_SIMULATOR": simulator.address("listens on"),
            "SDK_TEST_KEY": key,
        }
        status = router.stop()
        if status != 0:
            raise SystemExit(f"the router ended with {status} after SIGTERM:\n{router.log()}")


def router_key() -> str:
    """A key as the router makes them: 24 hex digits, then 6 of their checksum."""
    checked = "flex_live_" + secrets.token_hex(12)
    return checked + hashlib.sha256(checked.encode()).hexdigest()[:6]


class Program:
    """A running program whose output is read until it says where it listens, and kept to the end."""

    def __init__(self, command: list[str], environment: dict[str, str]):
        self.process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self.lines = deque(maxlen=LOG_LINES_KEPT)
        self.told = {}

    def address(self, word: str) -> str:
        """The base URL in the first line with this word."""
        if word in self.told:
            return self.told[word]
        watchdog = threading.Timer(STARTED_WITHIN, self.process.kill)
        watchdog.start()
        for line in self.process.stdout:
            self.lines.append(line)
            found = ADDRESS.search(line)
            if word in line and found:
                self.told[word] = f"http://{found[0]}"
                break
        watchdog.cancel()
        if word not in self.told:
            raise SystemExit(f"{self.process.args[0]} did not start:\n{self.log()}")
        threading.Thread(target=self.lines.extend, args=[self.process.stdout], daemon=True).start()
        return self.told[word]

    def log(self) -> str:
        return "".join(self.lines)

    def stop(self) -> int:
        """Ends the program in order, or by force when that takes too long; its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(STOPPED_WITHIN)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()
