"""`openai`, its Responses: whole, raw stream, `responses.stream()` helper, and the async client."""

import asyncio

import openai
import pydantic
import pytest
from rig import (
    ANSWER, BAD_KEY, CUTS, DEFAULT, DIRECT, FAULT, KEY, LOST, RACE, ROUTER, SILENT, WON, Script, check_block,
    check_cost, check_cut, check_escalated_at_the_deadline, check_headers, drain, side_by_side,
)  # fmt: skip

MODEL = "gpt-5.5"
CLAUDE = "claude-opus-5"
GEMINI = "gemini-3.5-flash"
OTHERS = {
    CLAUDE: {"x-flexinference-provider-surface": "anthropic.messages"},
    GEMINI: {"x-flexinference-provider-surface": "gemini.interactions"},
}
of_others = pytest.mark.parametrize("model", OTHERS)
WEATHER = {
    "type": "function",
    "name": "get_weather",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}
BASE_URL = f"{ROUTER}/v1"
client = openai.OpenAI(api_key=KEY, base_url=BASE_URL, max_retries=0)
WHOLE_STREAM = [
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.content_part.added",
    "response.output_text.delta",
    "response.output_text.delta",
    "response.output_text.delta",
    "response.output_text.done",
    "response.content_part.done",
    "response.output_item.done",
    "response.completed",
]
UP_TO_THE_FIRST_WORD = WHOLE_STREAM[:5]


def create(script=None, body=DEFAULT, **options):
    prompt = script.prompt if script else "Hello"
    return client.responses.create(model=MODEL, input=prompt, extra_body=body, **options)


def streamed_text(events):
    return "".join(event.delta for event in events if event.type == "response.output_text.delta")


def types(events):
    return [event.type for event in events]


def helper(script, body=DEFAULT):
    """What the helper delivers, what its iteration raises, and the way to its final response."""
    with client.responses.stream(model=MODEL, input=script.prompt, extra_body=body) as stream:
        events, error = drain(stream)
        return events, error, stream.get_final_response


def test_a_whole_answer_comes_back():
    script = Script()
    response = create(script)
    assert (response.output_text, response.status, response.service_tier) == (ANSWER, "completed", "default")
    assert response._request_id.startswith("req_")
    assert script.tiers() == ["default"]
    script.check_nothing_of_ours_went_up()


def test_a_raw_stream_comes_whole():
    stream = create(Script(), stream=True)
    events = list(stream)
    assert types(events) == WHOLE_STREAM
    assert streamed_text(events) == events[-1].response.output_text == ANSWER
    assert [event.sequence_number for event in events] == list(range(len(events)))
    check_headers(stream.response.headers, {**DIRECT, "cache-control": "no-cache"})


def test_the_helper_streams_the_same_answer():
    events, error, final = helper(Script())
    assert (types(events), error) == (WHOLE_STREAM, None)
    assert (final().output_text, final().status) == (ANSWER, "completed")


def test_a_race_is_won_by_flex():
    scripts = [Script(), Script(), Script()]
    raw = client.responses.with_raw_response.create(model=MODEL, input=scripts[0].prompt, extra_body=RACE)
    check_headers(raw.headers, WON)
    assert (raw.parse().output_text, raw.parse().service_tier) == (ANSWER, "flex")
    stream = create(scripts[1], RACE, stream=True)
    check_headers(stream.response.headers, WON)
    events = list(stream)
    assert (types(events), events[-1].response.service_tier) == (WHOLE_STREAM, "flex")
    events, error, final = helper(scripts[2], RACE)
    assert (types(events), error, final().service_tier) == (WHOLE_STREAM, None, "flex")
    assert [script.tiers() for script in scripts] == [["flex"]] * 3


def test_a_race_is_lost_at_the_deadline():
    whole, streamed, helped = (Script(flex=SILENT) for _ in range(3))
    outcomes = side_by_side(
        lambda: client.responses.with_raw_response.create(model=MODEL, input=whole.prompt, extra_body=RACE),
        lambda: create(streamed, RACE, stream=True),
        lambda: helper(helped, RACE),
    )
    for (seconds, _), script in zip(outcomes, [whole, streamed, helped]):
        check_escalated_at_the_deadline(seconds, script, "default")
    raw, stream, (helper_events, helper_error, final) = (outcome for _, outcome in outcomes)
    check_headers(raw.headers, LOST)
    assert (raw.parse().output_text, raw.parse().service_tier) == (ANSWER, "default")
    check_headers(stream.response.headers, LOST)
    events = list(stream)
    assert (types(events), events[-1].response.service_tier) == (WHOLE_STREAM, "default")
    assert (types(helper_events), helper_error, final().service_tier) == (WHOLE_STREAM, None, "default")


@of_others
def test_a_model_of_another_vendor_answers(model):
    script = Script()
    ask = {"model": model, "input": script.prompt, "extra_body": DEFAULT}
    raw = client.responses.with_raw_response.create(**ask)
    check_headers(raw.headers, DIRECT | OTHERS[model])
    response = raw.parse()
    assert (response.output_text, response.status, response.service_tier) == (ANSWER, "completed", "standard")
    assert response.usage.total_tokens == response.usage.input_tokens + response.usage.output_tokens > 0
    script.check_nothing_of_ours_went_up()
    events = list(client.responses.create(**ask, stream=True))
    told = [kind for kind in types(events) if kind in WHOLE_STREAM]
    # Gemini thinks first, in an item of its own.
    assert told[-len(WHOLE_STREAM) + 2 :] == WHOLE_STREAM[2:]
    assert streamed_text(events) == events[-1].response.output_text == ANSWER
    with client.responses.stream(**ask) as stream:
        _, error = drain(stream)
        assert (error, stream.get_final_response().output_text) == (None, ANSWER)


@of_others
def test_a_model_of_another_vendor_calls_tools_and_takes_their_results_and_thoughts(model):
    ask = {"model": model, "tools": [WEATHER], "reasoning": {"effort": "low", "summary": "auto"}, "extra_body": DEFAULT}
    history = []
    for streamed in (False, True):
        script = Script(any={"content": ["reasoning_summary", "parallel_tool_calls"]})
        turns = [{"role": "user", "content": script.prompt}, *history]
        if streamed:
            with client.responses.stream(input=turns, **ask) as stream:
                response = stream.get_final_response()
        else:
            response = client.responses.create(input=turns, **ask)
        calls = [item for item in response.output if item.type == "function_call"]
        thoughts = [item for item in response.output if item.type == "reasoning"]
        assert len(calls) == 2 and calls[0].call_id != calls[1].call_id and thoughts
        assert all(item.encrypted_content for item in thoughts)
        history += [item.model_dump(exclude={"parsed_arguments"}) for item in response.output]
        history += [
            {"type": "function_call_output", "call_id": call.call_id, "output": "Sunny"} for call in calls
        ]
    last = Script()
    turns = [{"role": "user", "content": last.prompt}, *history]
    assert client.responses.create(input=turns, **ask).output_text


@of_others
def test_a_model_of_another_vendor_fills_a_schema(model):
    class Reply(pydantic.BaseModel):
        answer: str

    response = client.responses.parse(model=model, input=Script().prompt, text_format=Reply, extra_body=DEFAULT)
    assert response.output_parsed.answer


def test_a_gemini_model_is_raced():
    won, lost = Script(), Script(flex=SILENT)
    response = client.responses.create(model=GEMINI, input=won.prompt, extra_body=RACE)
    assert (response.service_tier, won.tiers()) == ("flex", ["flex"])
    with client.responses.stream(model=GEMINI, input=lost.prompt, extra_body=RACE) as stream:
        final = stream.get_final_response()
    assert (final.output_text, final.service_tier, lost.tiers()) == (ANSWER, "standard", ["flex", "standard"])


@of_others
def test_a_state_of_openai_means_nothing_to_another_vendor(model):
    with pytest.raises(openai.BadRequestError) as raised:
        client.responses.create(model=model, input="Hello", previous_response_id="resp_1", extra_body=DEFAULT)
    assert (raised.value.code, raised.value.param) == ("unsupported_parameter", "previous_response_id")


def test_an_error_of_ours_is_read_through_the_sdk():
    with pytest.raises(openai.BadRequestError) as raised:
        create(body={})
    error = raised.value
    assert (error.status_code, error.code, error.type) == (400, "missing_start_within", "invalid_request_error")
    assert error.param == "start_within" and "start_within is required" in error.message
    assert error.request_id.startswith("req_")
    check_block(error.body["flexinference"], code="missing_start_within", origin="flexinference", retryable=False)


def test_an_error_of_the_provider_keeps_its_status_code_and_message():
    with pytest.raises(openai.RateLimitError) as raised:
        create(Script(any={"status": 429, "retry_after": "7"}))
    error = raised.value
    assert (error.status_code, error.code, error.type) == (429, "rate_limit_exceeded", "requests")
    assert "Rate limit reached for gpt-5.5" in error.message
    assert error.response.headers["retry-after"] == "7"
    check_block(error.body["flexinference"], code=None, origin="provider", provider_code="rate_limit_exceeded")
    with pytest.raises(openai.InternalServerError) as raised:
        create(Script(any={"status": 500}), stream=True)
    error = raised.value
    assert (error.status_code, error.type) == (500, "server_error")
    assert "The server had an error while processing your request." in error.message


def test_a_bad_key_is_an_authentication_error():
    with pytest.raises(openai.AuthenticationError) as raised:
        client.with_options(api_key=BAD_KEY).responses.create(model=MODEL, input="Hello", extra_body=DEFAULT)
    assert (raised.value.status_code, raised.value.code) == (401, "invalid_api_key")
    assert BAD_KEY not in raised.value.message


def test_a_rejected_provider_key_is_a_permission_error():
    with pytest.raises(openai.PermissionDeniedError) as raised:
        create(Script(any={"status": 401}))
    assert (raised.value.status_code, raised.value.code) == (403, "upstream_auth_failed")
    assert "Incorrect API key provided." in raised.value.message


@pytest.mark.parametrize("body", [DEFAULT, RACE], ids=["settled", "flex"])
def test_a_cut_raw_stream_shows_its_failure(body):
    for cut in CUTS:
        events, error = drain(create(Script(any=cut), body, stream=True))
        assert error is None
        assert types(events) == [*WHOLE_STREAM[:-1], "response.failed"]
        assert streamed_text(events) == ANSWER
        failed = events[-1]
        assert failed.sequence_number == len(events) - 1
        assert (failed.response.id, failed.response.status) == (events[0].response.id, "failed")
        assert failed.response.error.code == "upstream_stream_failed"
        check_cut(failed.response.error.flexinference, "openai")


@pytest.mark.parametrize("body", [DEFAULT, RACE], ids=["settled", "flex"])
def test_a_cut_stream_is_no_success_in_the_helper(body):
    for cut in CUTS:
        events, error, final = helper(Script(any=cut), body)
        assert error is None and types(events) == [*WHOLE_STREAM[:-1], "response.failed"]
        check_cut(events[-1].response.error.flexinference, "openai")
        with pytest.raises(RuntimeError, match="Didn't receive a `response.completed` event"):
            final()


def test_a_failure_of_the_provider_inside_a_stream_is_raised():
    for fault in (FAULT, {**FAULT, "fault_bare": True}):
        raw_events, raw_error = drain(create(Script(any=fault), stream=True))
        helper_events, helper_error, _ = helper(Script(any=fault))
        for events, error in ((raw_events, raw_error), (helper_events, helper_error)):
            assert types(events) == UP_TO_THE_FIRST_WORD
            assert type(error) is openai.APIError
            assert (error.code, error.type) == ("server_is_overloaded", "service_unavailable_error")
            assert error.message == "Our servers are currently overloaded. Please try again later."


def test_a_cut_whole_answer_is_a_502():
    for cut in CUTS:
        for body in (DEFAULT, RACE):
            with pytest.raises(openai.InternalServerError) as raised:
                create(Script(any=cut), body)
            assert (raised.value.status_code, raised.value.code) == (502, "upstream_stream_failed")
            check_cut(raised.value.body["flexinference"], "openai")


def test_include_cost_adds_the_cost_to_the_usage():
    check_cost(create(body={**DEFAULT, "include_cost": True}).usage, tier="default", reason="tier_direct")
    events = list(create(body={**RACE, "include_cost": True}, stream=True))
    check_cost(events[-1].response.usage, tier="flex", reason="flex_won", provider="openai")
    assert not hasattr(create().usage, "cost")


def test_the_number_of_retries_can_be_read():
    script = Script(settled=[{"status": 429, "retry_after_ms": 1}, {"status": 503, "retry_after_ms": 1}, {}])
    body = {**DEFAULT, "retry": {"count": 3, "backoff": "linear", "jitter": False}}
    raw = client.responses.with_raw_response.create(model=MODEL, input=script.prompt, extra_body=body)
    check_headers(raw.headers, {**DIRECT, "x-flexinference-retries": "2"})
    assert raw.parse().output_text == ANSWER
    assert script.tiers() == ["default"] * 3
    assert "x-flexinference-retries" not in create(stream=True).response.headers


def test_the_headers_of_router_and_provider_can_be_read():
    raw = client.responses.with_raw_response.create(model=MODEL, input="Hello", extra_body=DEFAULT)
    expected = {
        "x-flexinference-served-provider": "openai",
        "x-flexinference-provider-surface": "openai.responses",
        "x-ratelimit-remaining-requests": "9999",
        "openai-processing-ms": "12",
    }
    check_headers(raw.headers, {**DIRECT, **expected})
    assert int(raw.headers["x-flexinference-cost"]) > 0
    assert raw.request_id == raw.headers["x-request-id"]
    assert raw.headers["x-flexinference-upstream-request-id"] != raw.request_id


def test_the_catalogue_is_listed():
    models = {model.id: model for model in client.models.list()}
    assert {"gpt-5.5", "gemini-3.5-flash", "claude-opus-5"} <= models.keys()
    assert models[MODEL] == client.models.retrieve(MODEL)
    assert (models[MODEL].object, models[MODEL].owned_by) == ("model", "openai")
    assert models[MODEL].flexinference["flex_race"] is True
    assert models["claude-opus-5"].flexinference["flex_race"] is False
    with pytest.raises(openai.NotFoundError) as raised:
        client.models.retrieve("gpt-5.5-2026-04-23")
    assert (raised.value.status_code, raised.value.code) == (404, "model_not_found")


def test_the_async_client_works_the_same():
    async def use_it():
        async with openai.AsyncOpenAI(api_key=KEY, base_url=BASE_URL, max_retries=0) as own:
            whole = await own.responses.create(model=MODEL, input="Hello", extra_body=RACE)
            assert (whole.output_text, whole.service_tier) == (ANSWER, "flex")
            cut = Script(any=CUTS[0]).prompt
            stream = await own.responses.create(model=MODEL, input=cut, stream=True, extra_body=DEFAULT)
            assert [event.type async for event in stream] == [*WHOLE_STREAM[:-1], "response.failed"]
            async with own.responses.stream(model=MODEL, input="Hello", extra_body=DEFAULT) as helped:
                assert [event.type async for event in helped] == WHOLE_STREAM
                assert (await helped.get_final_response()).output_text == ANSWER
            with pytest.raises(openai.BadRequestError) as raised:
                await own.responses.create(model=MODEL, input="Hello")
            assert raised.value.code == "missing_start_within"
            assert MODEL in [model.id async for model in own.models.list()]

    asyncio.run(use_it())
