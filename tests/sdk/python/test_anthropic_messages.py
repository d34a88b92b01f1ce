"""`anthropic`, its Messages: whole, raw stream, `messages.stream()` helper, and the async client."""

import asyncio

import anthropic
import pydantic
import pytest
from rig import (
    ANSWER, BAD_KEY, CUTS, DEFAULT, DIRECT, FAULT, KEY, RACE, ROUTER, SILENT, WON, Script, check_block, check_cost,
    check_cut, check_headers, drain,
)  # fmt: skip

MODEL = "claude-opus-5"
OPENAI = "gpt-5.5"
GEMINI = "gemini-3.5-flash"
OTHERS = {
    OPENAI: {"x-flexinference-provider-surface": "openai.responses"},
    GEMINI: {"x-flexinference-provider-surface": "gemini.interactions"},
}
STANDARD = {OPENAI: "default", GEMINI: "standard"}
of_others = pytest.mark.parametrize("model", OTHERS)
WEATHER = {
    "name": "get_weather",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}
client = anthropic.Anthropic(api_key=KEY, base_url=ROUTER, max_retries=0)
WHOLE_STREAM = [
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_delta",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
]


def asked(script=None, body=DEFAULT):
    messages = [{"role": "user", "content": script.prompt if script else "Hello"}]
    return {"model": MODEL, "max_tokens": 64, "messages": messages, "extra_body": body}


def create(script=None, body=DEFAULT, **options):
    return client.messages.create(**asked(script, body), **options)


def types(events):
    # The helper adds a `text` event of its own after each delta.
    return [event.type for event in events if event.type != "text"]


def helper(script):
    """What the helper delivers, what its iteration raises, and the way to its final message."""
    with client.messages.stream(**asked(script)) as stream:
        check_headers(stream.response.headers, DIRECT)
        events, error = drain(stream)
        return events, error, stream.get_final_message


def test_a_whole_answer_comes_back():
    script = Script()
    message = create(script)
    assert (message.content[0].text, message.stop_reason) == (ANSWER, "end_turn")
    assert message.usage.service_tier == "standard"
    assert message._request_id.startswith("req_")
    assert script.tiers() == ["standard_only"]
    script.check_nothing_of_ours_went_up()


def test_a_raw_stream_comes_whole():
    stream = create(Script(), stream=True)
    check_headers(stream.response.headers, DIRECT)
    events = list(stream)
    assert types(events) == WHOLE_STREAM
    assert "".join(event.delta.text for event in events if event.type == "content_block_delta") == ANSWER


def test_the_helper_streams_the_same_answer():
    events, error, final = helper(Script())
    assert (types(events), error) == (WHOLE_STREAM, None)
    assert "".join(event.text for event in events if event.type == "text") == ANSWER
    assert (final().content[0].text, final().stop_reason) == (ANSWER, "end_turn")


def test_a_duration_is_refused_for_claude():
    for options in ({}, {"stream": True}):
        script = Script()
        with pytest.raises(anthropic.BadRequestError) as raised:
            create(script, RACE, **options)
        assert (raised.value.status_code, raised.value.type) == (400, "invalid_request_error")
        check_block(raised.value.body["error"]["flexinference"], code="flex_unsupported_for_anthropic")
        assert script.attempts() == []


@of_others
def test_a_model_of_another_vendor_answers(model):
    script = Script()
    raw = client.messages.with_raw_response.create(**asked(script) | {"model": model})
    check_headers(raw.headers, DIRECT | OTHERS[model])
    message = raw.parse()
    assert (message.content[0].text, message.stop_reason, message.type) == (ANSWER, "end_turn", "message")
    assert message.usage.service_tier == STANDARD[model] and message.usage.output_tokens > 0
    script.check_nothing_of_ours_went_up()
    events = list(client.messages.create(**asked(Script()) | {"model": model}, stream=True))
    assert types(events) == WHOLE_STREAM
    with client.messages.stream(**asked(Script()) | {"model": model}) as stream:
        _, error = drain(stream)
        final = stream.get_final_message()
    assert (error, final.content[0].text, final.usage.input_tokens > 0) == (None, ANSWER, True)


@of_others
@pytest.mark.parametrize("thinking", [False, True])
def test_a_model_of_another_vendor_calls_tools_and_takes_their_results_and_thoughts(model, thinking):
    ask = {"model": model, "max_tokens": 4096, "tools": [WEATHER], "extra_body": DEFAULT}
    if thinking:
        ask["thinking"] = {"type": "adaptive"}
    history = []
    for streamed in (False, True):
        script = Script(any={"content": ["reasoning_summary", "parallel_tool_calls"]})
        messages = [{"role": "user", "content": script.prompt}, *history]
        if streamed:
            with client.messages.stream(messages=messages, **ask) as stream:
                message = stream.get_final_message()
        else:
            message = client.messages.create(messages=messages, **ask)
        calls = [block for block in message.content if block.type == "tool_use"]
        assert message.stop_reason == "tool_use" and len(calls) == 2 and calls[0].id != calls[1].id
        assert all(isinstance(call.input, dict) for call in calls)
        thoughts = [block for block in message.content if block.type == "thinking"]
        assert bool(thoughts) == thinking and all(block.signature for block in thoughts)
        results = [{"type": "tool_result", "tool_use_id": call.id, "content": "Sunny"} for call in calls]
        history += [{"role": "assistant", "content": message.content}, {"role": "user", "content": results}]
    messages = [{"role": "user", "content": Script().prompt}, *history]
    assert client.messages.create(messages=messages, **ask).content[-1].text


@of_others
def test_a_model_of_another_vendor_fills_a_schema(model):
    class Reply(pydantic.BaseModel):
        answer: str

    message = client.messages.parse(**asked(Script()) | {"model": model}, output_format=Reply)
    assert message.parsed_output.answer


@of_others
def test_a_model_of_another_vendor_is_raced(model):
    won, lost = Script(), Script(flex=SILENT)
    raw = client.messages.with_raw_response.create(**asked(won, RACE) | {"model": model})
    check_headers(raw.headers, WON | OTHERS[model])
    assert (raw.parse().usage.service_tier, won.tiers()) == ("flex", ["flex"])
    with client.messages.stream(**asked(lost, RACE) | {"model": model}) as stream:
        final = stream.get_final_message()
    assert (final.content[0].text, final.usage.service_tier) == (ANSWER, STANDARD[model])
    assert lost.tiers() == ["flex", STANDARD[model]]


@of_others
def test_a_stream_of_another_vendor_that_breaks_raises(model):
    for cut in (*CUTS, FAULT):
        _, error = drain(client.messages.create(**asked(Script(any=cut)) | {"model": model}, stream=True))
        assert isinstance(error, anthropic.APIStatusError)


def test_what_a_model_of_another_vendor_cannot_be_told_is_refused():
    with pytest.raises(anthropic.BadRequestError) as raised:
        client.messages.create(**asked() | {"model": OPENAI}, stop_sequences=["x"])
    assert "stop_sequences" in raised.value.body["error"]["message"]
    check_block(raised.value.body["error"]["flexinference"], code="unsupported_parameter")


def test_an_error_of_ours_is_read_through_the_sdk():
    with pytest.raises(anthropic.BadRequestError) as raised:
        create(body={})
    error = raised.value
    assert (error.status_code, error.type) == (400, "invalid_request_error")
    assert "start_within is required" in error.body["error"]["message"]
    assert error.request_id == error.body["request_id"] and error.request_id.startswith("req_")
    check_block(error.body["error"]["flexinference"], code="missing_start_within", origin="flexinference")


def test_an_error_of_the_provider_keeps_its_status_code_and_message():
    for status, kind, error_type, text in [
        (429, anthropic.RateLimitError, "rate_limit_error", "would exceed your organization's rate limit"),
        (500, anthropic.InternalServerError, "api_error", "Internal server error"),
        (529, anthropic.InternalServerError, "overloaded_error", "Overloaded"),
    ]:
        with pytest.raises(kind) as raised:
            create(Script(any={"status": status, "retry_after": "7"}))
        error = raised.value
        assert (error.status_code, error.type) == (status, error_type)
        assert text in error.body["error"]["message"]
        assert error.response.headers["retry-after"] == "7"
        check_block(error.body["error"]["flexinference"], code=None, origin="provider", provider_code=error_type)


def test_a_bad_key_is_an_authentication_error():
    with pytest.raises(anthropic.AuthenticationError) as raised:
        client.with_options(api_key=BAD_KEY).messages.create(**asked())
    assert (raised.value.status_code, raised.value.type) == (401, "authentication_error")
    check_block(raised.value.body["error"]["flexinference"], code="invalid_api_key")


def test_a_rejected_provider_key_is_a_permission_error():
    with pytest.raises(anthropic.PermissionDeniedError) as raised:
        create(Script(any={"status": 401}))
    check_block(raised.value.body["error"]["flexinference"], code="upstream_auth_failed", status=403)


def test_the_key_may_come_in_the_header_of_the_vendor():
    # As the SDK sent it before version 2.
    headers = {"x-api-key": KEY, "Authorization": anthropic.Omit()}
    own = anthropic.Anthropic(api_key="unused", base_url=ROUTER, max_retries=0, default_headers=headers)
    script = Script()
    assert own.messages.create(**asked(script)).content[0].text == ANSWER
    script.check_nothing_of_ours_went_up()


def test_a_cut_stream_raises_in_the_raw_stream_and_in_the_helper():
    for cut in CUTS:
        raw_events, raw_error = drain(create(Script(any=cut), stream=True))
        helper_events, helper_error, _ = helper(Script(any=cut))
        for events, error in ((raw_events, raw_error), (helper_events, helper_error)):
            assert types(events) == WHOLE_STREAM[:-1]
            assert isinstance(error, anthropic.APIStatusError)
            # The status line was sent long ago.
            assert (error.status_code, error.type) == (200, "api_error")
            check_cut(error.body["error"]["flexinference"], "anthropic")


def test_a_failure_of_the_provider_inside_a_stream_is_raised():
    raw_events, raw_error = drain(create(Script(any=FAULT), stream=True))
    helper_events, helper_error, _ = helper(Script(any=FAULT))
    for events, error in ((raw_events, raw_error), (helper_events, helper_error)):
        assert types(events) == WHOLE_STREAM[:3]
        assert isinstance(error, anthropic.APIStatusError)
        assert (error.type, error.body["error"]["message"]) == ("overloaded_error", "Overloaded")


def test_a_cut_whole_answer_is_a_502():
    for cut in CUTS:
        with pytest.raises(anthropic.InternalServerError) as raised:
            create(Script(any=cut))
        assert (raised.value.status_code, raised.value.type) == (502, "api_error")
        check_cut(raised.value.body["error"]["flexinference"], "anthropic")


def test_include_cost_adds_the_cost_to_the_usage():
    body = {**DEFAULT, "include_cost": True}
    check_cost(create(body=body).usage, tier="standard", reason="tier_direct", provider="anthropic")
    deltas = [event for event in create(body=body, stream=True) if event.type == "message_delta"]
    check_cost(deltas[-1].usage, tier="standard", reason="tier_direct")
    assert not hasattr(create().usage, "cost")


def test_the_number_of_retries_can_be_read():
    script = Script(settled=[{"status": 529, "retry_after_ms": 1}, {}])
    raw = client.messages.with_raw_response.create(**asked(script, {**DEFAULT, "retry": {"count": 2}}))
    check_headers(raw.headers, {**DIRECT, "x-flexinference-retries": "1"})
    assert raw.parse().content[0].text == ANSWER
    assert script.tiers() == ["standard_only"] * 2


def test_the_headers_of_router_and_provider_can_be_read():
    raw = client.messages.with_raw_response.create(**asked())
    expected = {
        "x-flexinference-served-provider": "anthropic",
        "x-flexinference-provider-surface": "anthropic.messages",
        "anthropic-ratelimit-requests-remaining": "3999",
    }
    check_headers(raw.headers, {**DIRECT, **expected})
    assert raw.request_id == raw.headers["request-id"] == raw.headers["x-request-id"]


def test_tokens_are_counted():
    counted = client.messages.count_tokens(model=MODEL, messages=[{"role": "user", "content": "Hello"}])
    assert counted.input_tokens > 0


def test_the_async_client_works_the_same():
    async def use_it():
        async with anthropic.AsyncAnthropic(api_key=KEY, base_url=ROUTER, max_retries=0) as own:
            assert (await own.messages.create(**asked())).content[0].text == ANSWER
            stream = await own.messages.create(**asked(), stream=True)
            assert [event.type async for event in stream] == WHOLE_STREAM
            async with own.messages.stream(**asked()) as helped:
                assert await helped.get_final_text() == ANSWER
            cut = await own.messages.create(**asked(Script(any=CUTS[0])), stream=True)
            with pytest.raises(anthropic.APIStatusError) as raised:
                _ = [event async for event in cut]
            check_cut(raised.value.body["error"]["flexinference"], "anthropic")

    asyncio.run(use_it())
