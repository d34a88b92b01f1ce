"""What every test needs: where the router is, scripts for the simulated provider, and what that provider saw."""

import json
import os
import urllib.request
import uuid
from concurrent.futures import ThreadPoolExecutor
from time import monotonic

ROUTER = os.environ["SDK_TEST_ROUTER"]
SIMULATOR = os.environ["SDK_TEST_SIMULATOR"]
KEY = os.environ["SDK_TEST_KEY"]
# The right shape, the wrong checksum.
BAD_KEY = "flex_live_" + "0" * 30

DEFAULT = {"start_within": "default"}
RACE = {"start_within": "00h-00m-05s"}
DEADLINE = 5.0
# Longer than this after the deadline, and something else than the deadline has decided.
SLACK = 5.0
ANSWER = "You said: Hello"

# Both ways of losing the provider in the middle of an answer.
CUTS = [{"cut": {"before_terminal": True, "how": how}} for how in ("fin", "rst")]
# The provider says in the stream, after the first words, that it has failed.
FAULT = {"fault": "after_start"}
SILENT = {"silent": "queued"}

WON = {
    "x-flexinference-flex-requested": "true",
    "x-flexinference-flex-applied": "true",
    "x-flexinference-flex-reason": "flex_committed",
    "x-flexinference-routing-reason": "flex_won",
}
LOST = {
    "x-flexinference-flex-requested": "true",
    "x-flexinference-flex-applied": "false",
    "x-flexinference-flex-reason": "flex_lost_race",
    "x-flexinference-routing-reason": "flex_deadline",
}
DIRECT = {
    "x-flexinference-flex-requested": "false",
    "x-flexinference-flex-applied": "false",
    "x-flexinference-flex-reason": "not_requested",
    "x-flexinference-routing-reason": "tier_direct",
}


class Script:
    """A prompt that tells the simulator what to do, by tier (`flex`, `settled`) or for `any`."""

    def __init__(self, **behaviours):
        self.id = uuid.uuid4().hex
        self.prompt = f"Hello [[sim {json.dumps({'id': self.id, **behaviours})}]]"

    def attempts(self) -> list[dict]:
        """The requests with this prompt that reached the provider."""
        with urllib.request.urlopen(f"{SIMULATOR}/sim/seen") as answer:
            return [request for request in json.load(answer) if request["id"] == self.id]

    def tiers(self) -> list[str]:
        return [attempt["tier"] for attempt in self.attempts()]

    def check_nothing_of_ours_went_up(self) -> None:
        attempts = self.attempts()
        assert attempts
        for attempt in attempts:
            assert not {"start_within", "retry", "include_cost", "provider"} & json.loads(attempt["body"]).keys()
            assert KEY not in json.dumps(attempt)


def check_headers(headers, expected: dict[str, str]) -> None:
    assert {name: headers.get(name) for name in expected} == expected


def check_block(block: dict, **expected) -> None:
    """Checks fields of the `flexinference` block of an error."""
    assert {name: block[name] for name in expected} == expected


def check_cut(block: dict, provider: str) -> None:
    check_block(block, code="upstream_stream_failed", status=502, provider=provider, retryable=True)


def check_cost(usage, **routing) -> None:
    """`include_cost` adds both to the usage."""
    assert usage.cost["total_micro_usd"] > 0 and usage.cost["currency"] == "USD"
    assert {name: usage.routing[name] for name in routing} == routing


def timed(call) -> tuple[float, object]:
    began = monotonic()
    outcome = call()
    return monotonic() - began, outcome


def side_by_side(*calls) -> list[tuple[float, object]]:
    """Runs the calls at the same time; for each the seconds it took and what it gave."""
    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(timed, calls))


def check_escalated_at_the_deadline(seconds: float, script: Script, settled: str) -> None:
    assert DEADLINE <= seconds < DEADLINE + SLACK
    assert script.tiers() == ["flex", settled]


def drain(stream) -> tuple[list, Exception | None]:
    """Everything a stream delivers, and what it raises at its end."""
    events = []
    try:
        for event in stream:
            events.append(event)
    except Exception as error:  # The test says which one it must be.
        return events, error
    return events, None
