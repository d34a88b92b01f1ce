"""`openai`, its Chat Completions: whole, raw stream, `chat.completions.stream()` helper, and the async client."""

import asyncio
import json

import openai
import pydantic
import pytest
from openai.lib.streaming.chat import ChatCompletionStreamState
from rig import (
    ANSWER, BAD_KEY, CUTS, DEFAULT, DIRECT, FAULT, KEY, LOST, RACE, ROUTER, SILENT, WON, Script, check_block,
    check_cost, check_cut, check_escalated_at_the_deadline, check_headers, drain, side_by_side,
)  # fmt: skip

MODEL = "gpt-5.5"
CLAUDE = "claude-opus-5"
GEMINI = "gemini-3.5-flash"
BASE_URL = f"{ROUTER}/v1"
client = openai.OpenAI(api_key=KEY, base_url=BASE_URL, max_retries=0)
OVER_RESPONSES = {"x-flexinference-provider-surface": "openai.responses"}
OVER_MESSAGES = {"x-flexinference-provider-surface": "anthropic.messages"}
OVER_INTERACTIONS = {"x-flexinference-provider-surface": "gemini.interactions"}
OTHERS = {CLAUDE: OVER_MESSAGES, GEMINI: OVER_INTERACTIONS}
of_others = pytest.mark.parametrize("model", OTHERS)
WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
OVERLOADED = "Our servers are currently overloaded. Please try again later."


def said(script=None):
    return [{"role": "user", "content": script.prompt if script else "Hello"}]


def create(script=None, body=DEFAULT, **options):
    return client.chat.completions.create(model=MODEL, messages=said(script), extra_body=body, **options)


def text_of(chunks):
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)


def helper(script, body=DEFAULT):
    """The chunks that the helper delivers, what its iteration raises, and the way to its final completion."""
    with client.chat.completions.stream(model=MODEL, messages=said(script), extra_body=body) as stream:
        events, error = drain(stream)
        return [event.chunk for event in events if event.type == "chunk"], error, stream.get_final_completion


def test_a_whole_answer_comes_back():
    script = Script()
    completion = create(script)
    assert (completion.choices[0].message.content, completion.choices[0].finish_reason) == (ANSWER, "stop")
    assert completion.service_tier == "default"
    assert script.tiers() == ["default"]
    script.check_nothing_of_ours_went_up()


def test_a_raw_stream_comes_whole():
    stream = create(Script(), stream=True)
    check_headers(stream.response.headers, DIRECT)
    chunks = list(stream)
    assert (text_of(chunks), chunks[-1].choices[0].finish_reason) == (ANSWER, "stop")
    # The router asks the provider for the usage; a caller who has not must not see it.
    assert all(chunk.usage is None and chunk.choices for chunk in chunks)
    chunks = list(create(Script(), stream=True, stream_options={"include_usage": True}))
    assert (text_of(chunks), chunks[-1].choices) == (ANSWER, [])
    assert chunks[-1].usage.total_tokens == chunks[-1].usage.prompt_tokens + chunks[-1].usage.completion_tokens > 0


def test_the_helper_streams_the_same_answer():
    chunks, error, final = helper(Script())
    assert (text_of(chunks), error) == (ANSWER, None)
    assert (final().choices[0].message.content, final().choices[0].finish_reason) == (ANSWER, "stop")


def test_a_race_is_won_by_flex():
    scripts = [Script(), Script(), Script()]
    raw = client.chat.completions.with_raw_response.create(model=MODEL, messages=said(scripts[0]), extra_body=RACE)
    check_headers(raw.headers, OVER_RESPONSES | WON)
    completion = raw.parse()
    assert (completion.choices[0].message.content, completion.choices[0].finish_reason) == (ANSWER, "stop")
    assert (completion.object, completion.service_tier) == ("chat.completion", "flex")
    assert completion.usage.total_tokens == completion.usage.prompt_tokens + completion.usage.completion_tokens > 0
    stream = create(scripts[1], RACE, stream=True, stream_options={"include_usage": True})
    check_headers(stream.response.headers, OVER_RESPONSES | WON)
    chunks = list(stream)
    assert (text_of(chunks), chunks[-1].choices, chunks[-1].service_tier) == (ANSWER, [], "flex")
    assert chunks[-1].usage == completion.usage and len({chunk.id for chunk in chunks}) == 1
    chunks, error, final = helper(scripts[2], RACE)
    assert (text_of(chunks), error, final().choices[0].message.content) == (ANSWER, None, ANSWER)
    assert [script.tiers() for script in scripts] == [["flex"]] * 3


def test_a_race_is_lost_at_the_deadline():
    whole, streamed, helped = (Script(flex=SILENT) for _ in range(3))
    outcomes = side_by_side(
        lambda: create(whole, RACE), lambda: create(streamed, RACE, stream=True), lambda: helper(helped, RACE)
    )
    for (seconds, _), script in zip(outcomes, [whole, streamed, helped]):
        check_escalated_at_the_deadline(seconds, script, "default")
    completion, stream, (helper_chunks, helper_error, final) = (outcome for _, outcome in outcomes)
    assert (completion.choices[0].message.content, completion.service_tier) == (ANSWER, "default")
    check_headers(stream.response.headers, OVER_RESPONSES | LOST)
    chunks = list(stream)
    assert (text_of(chunks), chunks[-1].choices[0].finish_reason) == (ANSWER, "stop")
    assert (text_of(helper_chunks), helper_error, final().choices[0].finish_reason) == (ANSWER, None, "stop")


def test_tools_are_called_and_their_results_sent_back_in_a_race():
    for options in ({}, {"stream": True}):
        script = Script(any={"content": "parallel_tool_calls"})
        answer = create(script, RACE, tools=[WEATHER], **options)
        if options:
            state = ChatCompletionStreamState()
            for chunk in answer:
                state.handle_chunk(chunk)
            answer = state.get_final_completion()
        choice = answer.choices[0]
        calls = choice.message.tool_calls
        assert choice.finish_reason == "tool_calls" and len(calls) == 2 and calls[0].id != calls[1].id
        assert all(json.loads(call.function.arguments) is not None for call in calls)
        results = [{"role": "tool", "tool_call_id": call.id, "content": "Sunny"} for call in calls]
        back = Script()
        history = said(back) + [choice.message.model_dump(exclude_none=True)] + results
        history[1].pop("parsed", None)
        completion = client.chat.completions.create(
            model=MODEL, messages=history, tools=[WEATHER], extra_body=RACE
        )
        assert completion.choices[0].message.content


@of_others
def test_a_model_of_another_vendor_answers(model):
    script = Script()
    ask = {"model": model, "messages": said(script), "extra_body": DEFAULT}
    raw = client.chat.completions.with_raw_response.create(**ask)
    check_headers(raw.headers, DIRECT | OTHERS[model])
    completion = raw.parse()
    assert (completion.choices[0].message.content, completion.choices[0].finish_reason) == (ANSWER, "stop")
    assert (completion.object, completion.service_tier) == ("chat.completion", "standard")
    script.check_nothing_of_ours_went_up()
    chunks = list(client.chat.completions.create(**ask, stream=True, stream_options={"include_usage": True}))
    assert (text_of(chunks), chunks[-1].choices) == (ANSWER, [])
    assert chunks[-1].usage.total_tokens == chunks[-1].usage.prompt_tokens + chunks[-1].usage.completion_tokens > 0
    with client.chat.completions.stream(**ask) as stream:
        events, error = drain(stream)
    assert (text_of([event.chunk for event in events if event.type == "chunk"]), error) == (ANSWER, None)


@pytest.mark.parametrize("streamed", [False, True])
@of_others
def test_a_model_of_another_vendor_calls_tools_and_takes_their_results(streamed, model):
    ask = {"model": model, "tools": [WEATHER], "extra_body": DEFAULT}
    script = Script(any={"content": ["parallel_tool_calls"]})
    if streamed:
        with client.chat.completions.stream(messages=said(script), **ask) as stream:
            choice = stream.get_final_completion().choices[0]
    else:
        choice = client.chat.completions.create(messages=said(script), **ask).choices[0]
    calls = choice.message.tool_calls
    assert choice.finish_reason == "tool_calls" and len(calls) == 2 and calls[0].id != calls[1].id
    assert all(json.loads(call.function.arguments) is not None for call in calls)
    history = said(Script()) + [choice.message.model_dump(exclude_none=True, exclude={"parsed"})]
    history += [{"role": "tool", "tool_call_id": call.id, "content": "Sunny"} for call in calls]
    assert client.chat.completions.create(messages=history, **ask).choices[0].message.content


@of_others
def test_a_model_of_another_vendor_fills_a_schema(model):
    class Reply(pydantic.BaseModel):
        answer: str

    completion = client.chat.completions.parse(
        model=model, messages=said(Script()), response_format=Reply, extra_body=DEFAULT
    )
    assert completion.choices[0].message.parsed.answer


@pytest.mark.parametrize("cut", [*CUTS, FAULT])
@of_others
def test_a_stream_of_another_vendor_that_breaks_raises(cut, model):
    stream = client.chat.completions.create(
        model=model, messages=said(Script(any=cut)), extra_body=DEFAULT, stream=True
    )
    _, error = drain(stream)
    assert isinstance(error, openai.APIError)


@pytest.mark.parametrize("body", [RACE, DEFAULT])
def test_a_gemini_model_is_raced_and_gets_its_thoughts_back(body):
    ask = {"model": GEMINI, "tools": [WEATHER], "extra_body": body}
    tier = "flex" if body is RACE else "standard"
    history = []
    for _ in range(2):
        script = Script(any={"content": ["parallel_tool_calls"]})
        # Gemini refuses calls of the turn that come without the signature of the thoughts before them.
        completion = client.chat.completions.create(messages=said(script) + history, **ask)
        message = completion.choices[0].message
        assert (completion.service_tier, script.tiers()) == (tier, [tier])
        history.append(message.model_dump(exclude_none=True))
        history += [{"role": "tool", "tool_call_id": call.id, "content": "Sunny"} for call in message.tool_calls]
    last = Script()
    stream = client.chat.completions.create(messages=said(last) + history, stream=True, **ask)
    assert text_of(list(stream)) == ANSWER
    silent = Script(flex=SILENT)
    if body is RACE:
        completion = client.chat.completions.create(messages=said(silent), **ask)
        assert (completion.service_tier, silent.tiers()) == ("standard", ["flex", "standard"])


def test_what_a_claude_model_cannot_be_told_is_refused():
    with pytest.raises(openai.BadRequestError) as raised:
        client.chat.completions.create(model=CLAUDE, messages=said(), seed=1, extra_body=DEFAULT)
    assert (raised.value.code, raised.value.param) == ("unsupported_parameter", "seed")


def test_a_parameter_that_only_chat_has_cannot_be_raced():
    script = Script()
    with pytest.raises(openai.BadRequestError) as raised:
        create(script, RACE, stop="x")
    assert (raised.value.code, raised.value.param) == ("flex_unsupported_chat_params", "stop")
    assert script.attempts() == []


def test_a_race_that_breaks_after_its_start_raises():
    for cut in [*CUTS, FAULT]:
        raw_chunks, raw_error = drain(create(Script(any=cut), RACE, stream=True))
        helper_chunks, helper_error, _ = helper(Script(any=cut), RACE)
        for chunks, error in ((raw_chunks, raw_error), (helper_chunks, helper_error)):
            assert text_of(chunks) and ANSWER.startswith(text_of(chunks))
            assert all(chunk.choices[0].finish_reason is None for chunk in chunks)
            assert type(error) is openai.APIError
            assert error.body["flexinference"]["status"] == 502 or cut is FAULT


def test_an_error_of_ours_is_read_through_the_sdk():
    with pytest.raises(openai.BadRequestError) as raised:
        create(body={"start_within": "soon"})
    error = raised.value
    assert (error.status_code, error.code, error.type) == (400, "invalid_start_within", "invalid_request_error")
    assert error.param == "start_within" and error.request_id.startswith("req_")
    check_block(error.body["flexinference"], code="invalid_start_within", origin="flexinference", retryable=False)


def test_an_error_of_the_provider_keeps_its_status_code_and_message():
    with pytest.raises(openai.RateLimitError) as raised:
        create(Script(any={"status": 429, "retry_after": "7"}))
    assert (raised.value.status_code, raised.value.code) == (429, "rate_limit_exceeded")
    assert raised.value.response.headers["retry-after"] == "7"
    with pytest.raises(openai.InternalServerError) as raised:
        create(Script(any={"status": 500}), stream=True)
    assert (raised.value.status_code, raised.value.type) == (500, "server_error")
    assert "The server had an error while processing your request." in raised.value.message


def test_a_bad_key_is_an_authentication_error():
    with pytest.raises(openai.AuthenticationError) as raised:
        client.with_options(api_key=BAD_KEY).chat.completions.create(model=MODEL, messages=said(), extra_body=DEFAULT)
    assert (raised.value.status_code, raised.value.code) == (401, "invalid_api_key")


def test_a_cut_stream_raises_in_the_raw_stream_and_in_the_helper():
    for cut in CUTS:
        raw_chunks, raw_error = drain(create(Script(any=cut), stream=True))
        helper_chunks, helper_error, _ = helper(Script(any=cut))
        for chunks, error in ((raw_chunks, raw_error), (helper_chunks, helper_error)):
            assert text_of(chunks) == ANSWER
            assert all(chunk.choices[0].finish_reason is None for chunk in chunks)
            assert type(error) is openai.APIError
            assert (error.code, error.type) == ("upstream_stream_failed", "flexinference_error")
            check_cut(error.body["flexinference"], "openai")


def test_a_failure_of_the_provider_inside_a_stream_is_raised():
    raw_chunks, raw_error = drain(create(Script(any=FAULT), stream=True))
    helper_chunks, helper_error, _ = helper(Script(any=FAULT))
    for chunks, error in ((raw_chunks, raw_error), (helper_chunks, helper_error)):
        assert text_of(chunks) == "You"
        assert type(error) is openai.APIError
        assert (error.code, error.message) == ("server_is_overloaded", OVERLOADED)


def test_a_cut_whole_answer_is_a_502():
    for cut in CUTS:
        with pytest.raises(openai.InternalServerError) as raised:
            create(Script(any=cut))
        assert (raised.value.status_code, raised.value.code) == (502, "upstream_stream_failed")
        check_cut(raised.value.body["flexinference"], "openai")


def test_include_cost_adds_the_cost_to_the_usage():
    body = {**DEFAULT, "include_cost": True}
    check_cost(create(body=body).usage, tier="default", reason="tier_direct", provider="openai")
    chunks = list(create(body=body, stream=True, stream_options={"include_usage": True}))
    check_cost(chunks[-1].usage, tier="default", reason="tier_direct")
    assert not hasattr(create().usage, "cost")


def test_the_number_of_retries_can_be_read():
    script = Script(settled=[{"status": 500, "retry_after_ms": 1}, {}])
    body = {**DEFAULT, "retry": {"count": 1}}
    raw = client.chat.completions.with_raw_response.create(model=MODEL, messages=said(script), extra_body=body)
    check_headers(raw.headers, {**DIRECT, "x-flexinference-retries": "1"})
    assert raw.parse().choices[0].message.content == ANSWER
    assert script.tiers() == ["default"] * 2


def test_the_async_client_works_the_same():
    async def use_it():
        async with openai.AsyncOpenAI(api_key=KEY, base_url=BASE_URL, max_retries=0) as own:
            ask = {"model": MODEL, "messages": said(), "extra_body": DEFAULT}
            whole = await own.chat.completions.create(**ask)
            assert whole.choices[0].message.content == ANSWER
            stream = await own.chat.completions.create(**ask, stream=True)
            assert text_of([chunk async for chunk in stream]) == ANSWER
            async with own.chat.completions.stream(**ask) as helped:
                assert (await helped.get_final_completion()).choices[0].message.content == ANSWER
            cut = await own.chat.completions.create(**{**ask, "messages": said(Script(any=CUTS[0]))}, stream=True)
            with pytest.raises(openai.APIError) as raised:
                _ = [chunk async for chunk in cut]
            assert raised.value.code == "upstream_stream_failed"

    asyncio.run(use_it())
