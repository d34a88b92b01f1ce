"""`google-genai`, its Interactions: whole, streamed (it has no second way), and the async client."""

import asyncio
import json

import pytest
from google import genai
from google.genai._interactions import (
    AuthenticationError, BadRequestError, InternalServerError, PermissionDeniedError, RateLimitError,
)  # fmt: skip
from rig import (
    ANSWER, BAD_KEY, CUTS, DEFAULT, DIRECT, FAULT, KEY, LOST, RACE, ROUTER, SILENT, WON, Script, check_block,
    check_cost, check_cut, check_escalated_at_the_deadline, check_headers, drain, side_by_side,
)  # fmt: skip

MODEL = "gemini-3.5-flash"
CLAUDE = "claude-opus-5"
OPENAI = "gpt-5.5"
OTHERS = {
    CLAUDE: {"x-flexinference-provider-surface": "anthropic.messages"},
    OPENAI: {"x-flexinference-provider-surface": "openai.responses"},
}
STANDARD = {CLAUDE: "standard", OPENAI: "default"}
of_others = pytest.mark.parametrize("model", OTHERS)
WEATHER = {
    "type": "function",
    "name": "get_weather",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}
ONCE = {"attempts": 1}
client = genai.Client(api_key=KEY, http_options={"base_url": ROUTER, "retry_options": ONCE})
WHOLE_STREAM = [
    "interaction.created",
    "interaction.status_update",
    "step.start",
    "step.delta",
    "step.stop",
    "step.start",
    "step.delta",
    "step.delta",
    "step.delta",
    "step.stop",
    "interaction.completed",
]
UP_TO_THE_FIRST_DELTA = WHOLE_STREAM[:4]


def asked(script=None, body=DEFAULT):
    return {"model": MODEL, "input": script.prompt if script else "Hello", "extra_body": body}


def create(script=None, body=DEFAULT, **options):
    return client.interactions.create(**asked(script, body), **options)


def raw(script=None, body=DEFAULT):
    return client.interactions.with_raw_response.create(**asked(script, body))


def types(events):
    return [event.event_type for event in events]


def streamed_text(events):
    deltas = [event.delta for event in events if event.event_type == "step.delta"]
    return "".join(delta.text for delta in deltas if delta.type == "text")


def test_a_whole_answer_comes_back():
    script = Script()
    interaction = create(script)
    assert (interaction.output_text, interaction.status) == (ANSWER, "completed")
    assert interaction.service_tier == "standard"
    assert script.tiers() == ["standard"]
    script.check_nothing_of_ours_went_up()


def test_both_versions_of_the_path_are_served():
    for version in ("v1", "v1beta"):
        options = {"base_url": ROUTER, "retry_options": ONCE, "api_version": version}
        own = genai.Client(api_key=KEY, http_options=options)
        answer = own.interactions.with_raw_response.create(**asked())
        assert str(answer.url) == f"{ROUTER}/{version}/interactions"
        assert answer.parse().output_text == ANSWER


def test_a_raw_stream_comes_whole():
    stream = create(Script(), stream=True)
    check_headers(stream.response.headers, {**DIRECT, "cache-control": "no-cache"})
    events = list(stream)
    assert (types(events), streamed_text(events)) == (WHOLE_STREAM, ANSWER)
    assert events[-1].interaction.status == "completed"


def test_a_race_is_won_by_flex():
    scripts = [Script(), Script()]
    whole = raw(scripts[0], RACE)
    check_headers(whole.headers, WON)
    interaction = whole.parse()
    # Put together from the stream that flex was asked for.
    assert (interaction.output_text, interaction.status, interaction.service_tier) == (ANSWER, "completed", "flex")
    stream = create(scripts[1], RACE, stream=True)
    check_headers(stream.response.headers, WON)
    events = list(stream)
    assert (types(events), events[-1].interaction.service_tier) == (WHOLE_STREAM, "flex")
    assert [script.tiers() for script in scripts] == [["flex"]] * 2


def test_a_race_is_lost_at_the_deadline():
    whole, streamed = Script(flex=SILENT), Script(flex=SILENT)
    outcomes = side_by_side(lambda: raw(whole, RACE), lambda: create(streamed, RACE, stream=True))
    for (seconds, _), script in zip(outcomes, [whole, streamed]):
        check_escalated_at_the_deadline(seconds, script, "standard")
    answer, stream = (outcome for _, outcome in outcomes)
    check_headers(answer.headers, LOST)
    assert (answer.parse().output_text, answer.parse().service_tier) == (ANSWER, "standard")
    check_headers(stream.response.headers, LOST)
    events = list(stream)
    assert (types(events), events[-1].interaction.service_tier) == (WHOLE_STREAM, "standard")


@of_others
def test_a_model_of_another_vendor_answers(model):
    script = Script()
    ask = asked(script) | {"model": model}
    whole = client.interactions.with_raw_response.create(**ask)
    check_headers(whole.headers, DIRECT | OTHERS[model])
    interaction = whole.parse()
    assert (interaction.output_text, interaction.status) == (ANSWER, "completed")
    assert interaction.service_tier == STANDARD[model] and interaction.usage.total_tokens > 0
    script.check_nothing_of_ours_went_up()
    events = list(client.interactions.create(**ask, stream=True))
    assert streamed_text(events) == ANSWER and types(events)[:2] == WHOLE_STREAM[:2]
    assert types(events)[-1] == "interaction.completed"


@of_others
def test_a_model_of_another_vendor_calls_tools_and_takes_their_results_and_thoughts(model):
    thinking = {"thinking_level": "low", "thinking_summaries": "auto"}
    ask = {"model": model, "tools": [WEATHER], "generation_config": thinking, "extra_body": DEFAULT}
    script = Script(any={"content": ["reasoning_summary", "parallel_tool_calls"]})
    first = {"type": "user_input", "content": [{"type": "text", "text": script.prompt}]}
    interaction = client.interactions.create(input=[first], **ask)
    steps = [step.model_dump(exclude_none=True) for step in interaction.steps]
    calls = [step for step in steps if step["type"] == "function_call"]
    assert interaction.status == "requires_action" and len(calls) == 2 and calls[0]["id"] != calls[1]["id"]
    assert any(step["type"] == "thought" and step["signature"] for step in steps)
    results = [
        {"type": "function_result", "call_id": call["id"], "name": call["name"], "result": "Sunny"} for call in calls
    ]
    first["content"][0]["text"] = Script().prompt
    assert client.interactions.create(input=[first, *steps, *results], **ask).output_text


@of_others
def test_a_model_of_another_vendor_fills_a_schema(model):
    schema = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}
    schema["additionalProperties"] = False
    ask = asked(Script()) | {"model": model}
    entry = {"type": "text", "mime_type": "application/json", "schema": schema}
    assert "answer" in json.loads(client.interactions.create(**ask, response_format=entry).output_text)


def test_an_openai_model_is_raced():
    won, lost = Script(), Script(flex=SILENT)
    interaction = client.interactions.create(**asked(won, RACE) | {"model": OPENAI})
    assert (interaction.service_tier, won.tiers()) == ("flex", ["flex"])
    events = list(client.interactions.create(**asked(lost, RACE) | {"model": OPENAI}, stream=True))
    assert (streamed_text(events), events[-1].interaction.service_tier) == (ANSWER, "default")
    assert lost.tiers() == ["flex", "default"]


def test_an_error_of_ours_is_read_through_the_sdk():
    with pytest.raises(BadRequestError) as raised:
        create(body={})
    body = raised.value.body["error"]
    assert (raised.value.status_code, body["code"], body["status"]) == (400, 400, "INVALID_ARGUMENT")
    assert "start_within is required" in body["message"]
    assert raised.value.response.headers["x-request-id"].startswith("req_")
    check_block(body["flexinference"], code="missing_start_within", origin="flexinference", retryable=False)


def test_an_error_of_the_provider_keeps_its_status_code_and_message():
    for status, kind, code, word, text in [
        (429, RateLimitError, "rate_limit_exceeded", "RESOURCE_EXHAUSTED", "You have exceeded the rate limit."),
        (500, InternalServerError, "api_error", "INTERNAL", "An internal error has occurred."),
    ]:
        with pytest.raises(kind) as raised:
            create(Script(any={"status": status, "retry_after": "7"}))
        body = raised.value.body["error"]
        assert (raised.value.status_code, body["code"], body["status"]) == (status, code, word)
        assert body["message"].startswith(text)
        assert raised.value.response.headers["retry-after"] == "7"
        check_block(body["flexinference"], code=None, origin="provider", provider_code=code)


def test_a_bad_key_is_an_authentication_error():
    own = genai.Client(api_key=BAD_KEY, http_options={"base_url": ROUTER, "retry_options": ONCE})
    with pytest.raises(AuthenticationError) as raised:
        own.interactions.create(**asked())
    body = raised.value.body["error"]
    assert (raised.value.status_code, body["status"]) == (401, "UNAUTHENTICATED")
    check_block(body["flexinference"], code="invalid_api_key")


def test_a_rejected_provider_key_is_a_permission_error():
    with pytest.raises(PermissionDeniedError) as raised:
        create(Script(any={"status": 401}))
    check_block(raised.value.body["error"]["flexinference"], code="upstream_auth_failed", status=403)


@pytest.mark.parametrize("body", [DEFAULT, RACE], ids=["settled", "flex"])
def test_a_cut_raw_stream_shows_its_failure(body):
    for cut in CUTS:
        events, error = drain(create(Script(any=cut), body, stream=True))
        # This SDK raises nothing here: the failure is the last event.
        assert error is None
        assert types(events) == [*WHOLE_STREAM[:-1], "error"]
        assert streamed_text(events) == ANSWER
        failure = events[-1].error
        assert (failure.code, failure.status) == ("upstream_stream_failed", "UNAVAILABLE")
        check_cut(failure.flexinference, "gemini")


def test_a_failure_of_the_provider_inside_a_stream_is_shown():
    events, error = drain(create(Script(any=FAULT), stream=True))
    assert error is None
    assert types(events) == [*UP_TO_THE_FIRST_DELTA, "error"]
    failure = events[-1].error
    assert failure.code == "service_unavailable"
    assert failure.message == "The model is overloaded. Please try again later."


def test_a_cut_whole_answer_is_a_502():
    for cut in CUTS:
        for body in (DEFAULT, RACE):
            with pytest.raises(InternalServerError) as raised:
                create(Script(any=cut), body)
            assert raised.value.status_code == 502
            check_cut(raised.value.body["error"]["flexinference"], "gemini")


def test_include_cost_adds_the_cost_to_the_usage():
    check_cost(create(body={**DEFAULT, "include_cost": True}).usage, tier="standard", reason="tier_direct")
    events = list(create(body={**RACE, "include_cost": True}, stream=True))
    check_cost(events[-1].interaction.usage, tier="flex", reason="flex_won", provider="google")
    assert not hasattr(create().usage, "cost")


def test_the_number_of_retries_can_be_read():
    script = Script(settled=[{"status": 503, "retry_after_ms": 1}, {}])
    answer = raw(script, {**DEFAULT, "retry": {"count": 1}})
    check_headers(answer.headers, {**DIRECT, "x-flexinference-retries": "1"})
    assert answer.parse().output_text == ANSWER
    assert script.tiers() == ["standard"] * 2


def test_the_headers_of_router_and_provider_can_be_read():
    expected = {
        "x-flexinference-served-provider": "google",
        "x-flexinference-provider-surface": "gemini.interactions",
        "vary": "Origin, X-Origin, Referer",
    }
    check_headers(raw().headers, {**DIRECT, **expected})


def test_the_async_client_works_the_same():
    async def use_it():
        own = client.aio.interactions
        assert (await own.create(**asked(body=RACE))).service_tier == "flex"
        stream = await own.create(**asked(), stream=True)
        assert types([event async for event in stream]) == WHOLE_STREAM
        cut = await own.create(**asked(Script(any=CUTS[0])), stream=True)
        assert types([event async for event in cut]) == [*WHOLE_STREAM[:-1], "error"]
        with pytest.raises(BadRequestError) as raised:
            await own.create(**asked(body={}))
        check_block(raised.value.body["error"]["flexinference"], code="missing_start_within")

    asyncio.run(use_it())
