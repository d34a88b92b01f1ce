// `openai`, its Chat Completions: whole, raw stream, `chat.completions.stream()` helper.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import OpenAI from 'openai';
import {
  ANSWER, BAD_KEY, CUTS, DEFAULT, DIRECT, FAULT, KEY, LOST, RACE, ROUTER, SILENT, Script, WON, checkCost, checkCut,
  checkFields, checkHeaders, drain, lostAtTheDeadline, rejection,
} from './rig.mjs';

const MODEL = 'gpt-5.5';
const CLAUDE = 'claude-opus-5';
const GEMINI = 'gemini-3.5-flash';
const client = new OpenAI({ apiKey: KEY, baseURL: `${ROUTER}/v1`, maxRetries: 0 });
const OVER_RESPONSES = { 'x-flexinference-provider-surface': 'openai.responses' };
const OVER_MESSAGES = { 'x-flexinference-provider-surface': 'anthropic.messages' };
const OVER_INTERACTIONS = { 'x-flexinference-provider-surface': 'gemini.interactions' };
const WEATHER = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
const USAGE = { stream_options: { include_usage: true } };

const asked = (script, fields = DEFAULT) => ({
  model: MODEL,
  messages: [{ role: 'user', content: script?.prompt ?? 'Hello' }],
  ...fields,
});
const create = (script, fields) => client.chat.completions.create(asked(script, fields));
const stream = (script, fields = DEFAULT) => create(script, { ...fields, stream: true });
const textOf = (chunks) => chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');

/** The chunks that the helper delivers, what its iteration throws, and the helper for its final completion. */
async function helped(script, fields) {
  const helper = client.chat.completions.stream(asked(script, fields));
  return { helper, ...(await drain(helper)) };
}

describe('openai chat', { concurrency: true }, () => {
  test('a whole answer comes back', async () => {
    const script = new Script();
    const completion = await create(script);
    assert.equal(completion.choices[0].message.content, ANSWER);
    checkFields(completion, { service_tier: 'default', object: 'chat.completion' });
    assert.deepEqual(await script.tiers(), ['default']);
    await script.checkNothingOfOursWentUp();
  });

  test('a raw stream comes whole', async () => {
    const { data, response } = await stream(new Script()).withResponse();
    checkHeaders(response.headers, DIRECT);
    const { events, error } = await drain(data);
    assert.equal(error, undefined);
    assert.equal(textOf(events), ANSWER);
    assert.equal(events.at(-1).choices[0].finish_reason, 'stop');
    // The router asks the provider for the usage; a caller who has not must not see it.
    assert.ok(events.every((chunk) => chunk.usage == null && chunk.choices.length === 1));
    const counted = await drain(await stream(new Script(), { ...DEFAULT, ...USAGE }));
    assert.deepEqual(counted.events.at(-1).choices, []);
    assert.ok(counted.events.at(-1).usage.total_tokens > 0);
  });

  test('the helper streams the same answer', async () => {
    const { helper, events, error } = await helped(new Script());
    assert.equal(error, undefined);
    assert.equal(textOf(events), ANSWER);
    const { message, finish_reason } = (await helper.finalChatCompletion()).choices[0];
    assert.deepEqual([message.content, finish_reason], [ANSWER, 'stop']);
  });

  test('a race is won by flex', async () => {
    const scripts = [new Script(), new Script(), new Script()];
    const whole = await create(scripts[0], RACE).withResponse();
    checkHeaders(whole.response.headers, { ...WON, ...OVER_RESPONSES });
    checkFields(whole.data, { object: 'chat.completion', service_tier: 'flex' });
    assert.equal(whole.data.choices[0].message.content, ANSWER);
    const { events } = await drain(await stream(scripts[1], { ...RACE, ...USAGE }));
    assert.equal(textOf(events), ANSWER);
    assert.deepEqual(events.at(-1).usage, whole.data.usage);
    const { helper } = await helped(scripts[2], RACE);
    const { message, finish_reason } = (await helper.finalChatCompletion()).choices[0];
    assert.deepEqual([message.content, finish_reason], [ANSWER, 'stop']);
    for (const script of scripts) assert.deepEqual(await script.tiers(), ['flex']);
  });

  test('a race is lost at the deadline', async () => {
    const scripts = [1, 2].map(() => new Script({ flex: SILENT }));
    const [whole, streamed] = await Promise.all([
      lostAtTheDeadline(scripts[0], 'default', () => create(scripts[0], RACE).withResponse()),
      lostAtTheDeadline(scripts[1], 'default', () => stream(scripts[1], RACE)),
    ]);
    checkHeaders(whole.response.headers, { ...LOST, ...OVER_RESPONSES });
    assert.equal(whole.data.choices[0].message.content, ANSWER);
    assert.equal(textOf((await drain(streamed)).events), ANSWER);
  });

  test('a race that breaks after its start raises', async () => {
    for (const cut of [...CUTS, FAULT]) {
      const raw = await drain(await stream(new Script({ any: cut }), RACE));
      for (const { events, error } of [raw, await helped(new Script({ any: cut }), RACE)]) {
        assert.ok(textOf(events) && ANSWER.startsWith(textOf(events)));
        assert.ok(error instanceof OpenAI.APIError);
      }
    }
  });

  for (const [model, surface] of [[CLAUDE, OVER_MESSAGES], [GEMINI, OVER_INTERACTIONS]]) {
    test(`${model} answers`, async () => {
      const fields = { ...DEFAULT, model };
      const script = new Script();
      const whole = await create(script, fields).withResponse();
      checkHeaders(whole.response.headers, { ...DIRECT, ...surface });
      checkFields(whole.data, { object: 'chat.completion', service_tier: 'standard' });
      assert.equal(whole.data.choices[0].message.content, ANSWER);
      await script.checkNothingOfOursWentUp();
      const { events } = await drain(await stream(new Script(), { ...fields, ...USAGE }));
      assert.equal(textOf(events), ANSWER);
      assert.deepEqual(events.at(-1).choices, []);
      assert.ok(events.at(-1).usage.total_tokens > 0);
      const { helper } = await helped(new Script(), fields);
      const { message, finish_reason } = (await helper.finalChatCompletion()).choices[0];
      assert.deepEqual([message.content, finish_reason], [ANSWER, 'stop']);
    });

    test(`${model} calls tools and takes their results`, async () => {
      const fields = { ...DEFAULT, model, tools: [WEATHER] };
      const script = () => new Script({ any: { content: ['parallel_tool_calls'] } });
      const { helper } = await helped(script(), fields);
      const whole = await create(script(), fields);
      for (const choice of [whole.choices[0], (await helper.finalChatCompletion()).choices[0]]) {
        assert.equal(choice.finish_reason, 'tool_calls');
        assert.equal(choice.message.tool_calls.length, 2);
        const results = choice.message.tool_calls.map((call) => {
          assert.ok(JSON.parse(call.function.arguments));
          return { role: 'tool', tool_call_id: call.id, content: 'Sunny' };
        });
        const messages = [{ role: 'user', content: new Script().prompt }, choice.message, ...results];
        const completion = await create(undefined, { ...fields, messages });
        assert.ok(completion.choices[0].message.content);
      }
    });

    test(`a stream of ${model} that breaks raises`, async () => {
      for (const cut of [...CUTS, FAULT]) {
        const { error } = await drain(await stream(new Script({ any: cut }), { ...DEFAULT, model }));
        assert.ok(error instanceof OpenAI.APIError);
      }
    });
  }

  test('a gemini model is raced', async () => {
    const won = new Script();
    const { helper } = await helped(won, { ...RACE, model: GEMINI });
    assert.equal((await helper.finalChatCompletion()).choices[0].message.content, ANSWER);
    assert.deepEqual(await won.tiers(), ['flex']);
    const refused = new Script({ flex: { status: 503 } });
    const completion = await create(refused, { ...RACE, model: GEMINI });
    checkFields(completion, { service_tier: 'standard', object: 'chat.completion' });
    assert.deepEqual(await refused.tiers(), ['flex', 'standard']);
  });

  test('what a claude model cannot be told is refused', async () => {
    const error = await rejection(create(undefined, { ...DEFAULT, model: CLAUDE, seed: 1 }), OpenAI.BadRequestError);
    checkFields(error, { status: 400, code: 'unsupported_parameter', param: 'seed' });
  });

  test('a parameter that only chat has cannot be raced', async () => {
    const error = await rejection(create(undefined, { ...RACE, stop: 'x' }), OpenAI.BadRequestError);
    checkFields(error, { status: 400, code: 'flex_unsupported_chat_params', param: 'stop' });
  });

  test('an error of ours is read through the sdk', async () => {
    const error = await rejection(create(undefined, { start_within: 'soon' }), OpenAI.BadRequestError);
    checkFields(error, { status: 400, code: 'invalid_start_within', param: 'start_within' });
    assert.match(error.requestID, /^req_/);
    checkFields(error.error.flexinference, { code: 'invalid_start_within', origin: 'flexinference' });
  });

  test('an error of the provider keeps its status code and message', async () => {
    const full = new Script({ any: { status: 429, retry_after: '7' } });
    const refused = await rejection(create(full), OpenAI.RateLimitError);
    checkFields(refused, { status: 429, code: 'rate_limit_exceeded' });
    checkHeaders(refused.headers, { 'retry-after': '7' });
    const broken = await rejection(stream(new Script({ any: { status: 500 } })), OpenAI.InternalServerError);
    checkFields(broken, { status: 500, type: 'server_error' });
    assert.match(broken.message, /The server had an error while processing your request\./);
  });

  test('a bad key is an authentication error', async () => {
    const stranger = client.withOptions({ apiKey: BAD_KEY });
    const error = await rejection(stranger.chat.completions.create(asked()), OpenAI.AuthenticationError);
    checkFields(error, { status: 401, code: 'invalid_api_key' });
  });

  test('a cut stream raises in the raw stream and in the helper', async () => {
    for (const cut of CUTS) {
      const raw = await drain(await stream(new Script({ any: cut })));
      for (const { events, error } of [raw, await helped(new Script({ any: cut }))]) {
        assert.equal(textOf(events), ANSWER);
        assert.ok(events.every((chunk) => chunk.choices[0].finish_reason === null));
        assert.ok(error instanceof OpenAI.APIError);
        checkFields(error, { code: 'upstream_stream_failed', type: 'flexinference_error' });
        checkCut(error.error.flexinference, 'openai');
      }
    }
  });

  test('a failure of the provider inside a stream is raised', async () => {
    const raw = await drain(await stream(new Script({ any: FAULT })));
    for (const { events, error } of [raw, await helped(new Script({ any: FAULT }))]) {
      assert.equal(textOf(events), 'You');
      assert.ok(error instanceof OpenAI.APIError);
      assert.equal(error.code, 'server_is_overloaded');
      assert.match(error.message, /Our servers are currently overloaded/);
    }
  });

  test('a cut whole answer is a 502', async () => {
    for (const cut of CUTS) {
      const error = await rejection(create(new Script({ any: cut })), OpenAI.InternalServerError);
      checkFields(error, { status: 502, code: 'upstream_stream_failed' });
      checkCut(error.error.flexinference, 'openai');
    }
  });

  test('include cost adds the cost to the usage', async () => {
    const fields = { ...DEFAULT, include_cost: true };
    checkCost((await create(undefined, fields)).usage, { tier: 'default', reason: 'tier_direct' });
    const { events } = await drain(await stream(undefined, { ...fields, ...USAGE }));
    checkCost(events.at(-1).usage, { tier: 'default', provider: 'openai' });
    assert.equal((await create()).usage.cost, undefined);
  });

  test('the number of retries can be read', async () => {
    const script = new Script({ settled: [{ status: 500, retry_after_ms: 1 }, {}] });
    const { data, response } = await create(script, { ...DEFAULT, retry: { count: 1 } }).withResponse();
    checkHeaders(response.headers, { ...DIRECT, 'x-flexinference-retries': '1' });
    assert.equal(data.choices[0].message.content, ANSWER);
    assert.deepEqual(await script.tiers(), ['default', 'default']);
  });
});
