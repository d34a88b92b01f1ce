// `@anthropic-ai/sdk`, its Messages: whole, raw stream, `messages.stream()` helper.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import {
  ANSWER, BAD_KEY, CUTS, DEFAULT, DIRECT, FAULT, KEY, RACE, ROUTER, SILENT, Script, checkCost, checkCut, checkFields,
  checkHeaders, drain, rejection,
} from './rig.mjs';

const MODEL = 'claude-opus-5';
const OTHERS = [
  { model: 'gpt-5.5', surface: 'openai.responses', standard: 'default' },
  { model: 'gemini-3.5-flash', surface: 'gemini.interactions', standard: 'standard' },
];
const WEATHER = {
  name: 'get_weather',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const client = new Anthropic({ apiKey: KEY, baseURL: ROUTER, maxRetries: 0 });
const WHOLE_STREAM = [
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_delta',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
];

const asked = (script, fields = DEFAULT) => ({
  model: MODEL,
  max_tokens: 64,
  messages: [{ role: 'user', content: script?.prompt ?? 'Hello' }],
  ...fields,
});
const create = (script, fields) => client.messages.create(asked(script, fields));
const stream = (script, fields = DEFAULT) => create(script, { ...fields, stream: true });
const types = (events) => events.map((event) => event.type);
const textOf = (events) => events.map((event) => event.delta?.text ?? '').join('');

/** What the helper delivers, what its iteration throws, and the helper for its final message. */
async function helped(script, fields) {
  const helper = client.messages.stream(asked(script, fields));
  return { helper, ...(await drain(helper)) };
}

describe('anthropic messages', { concurrency: true }, () => {
  test('a whole answer comes back', async () => {
    const script = new Script();
    const message = await create(script);
    assert.deepEqual([message.content[0].text, message.stop_reason], [ANSWER, 'end_turn']);
    assert.equal(message.usage.service_tier, 'standard');
    assert.match(message._request_id, /^req_/);
    assert.deepEqual(await script.tiers(), ['standard_only']);
    await script.checkNothingOfOursWentUp();
  });

  test('a raw stream comes whole', async () => {
    const { data, response } = await stream(new Script()).withResponse();
    checkHeaders(response.headers, { ...DIRECT, 'cache-control': 'no-cache' });
    const { events, error } = await drain(data);
    assert.equal(error, undefined);
    assert.deepEqual([types(events), textOf(events)], [WHOLE_STREAM, ANSWER]);
  });

  test('the helper streams the same answer', async () => {
    const { helper, events, error } = await helped(new Script());
    assert.equal(error, undefined);
    assert.deepEqual(types(events), WHOLE_STREAM);
    checkHeaders(helper.response.headers, DIRECT);
    const final = await helper.finalMessage();
    assert.deepEqual([final.content[0].text, final.stop_reason], [ANSWER, 'end_turn']);
  });

  test('a duration is refused for claude', async () => {
    for (const fields of [RACE, { ...RACE, stream: true }]) {
      const script = new Script();
      const error = await rejection(create(script, fields), Anthropic.BadRequestError);
      checkFields(error, { status: 400, type: 'invalid_request_error' });
      checkFields(error.error.error.flexinference, { code: 'flex_unsupported_for_anthropic' });
      assert.deepEqual(await script.attempts(), []);
    }
  });

  for (const { model, surface, standard } of OTHERS) {
    test(`${model} answers`, async () => {
      const fields = { ...DEFAULT, model };
      const script = new Script();
      const whole = await create(script, fields).withResponse();
      checkHeaders(whole.response.headers, { ...DIRECT, 'x-flexinference-provider-surface': surface });
      assert.deepEqual([whole.data.content[0].text, whole.data.stop_reason], [ANSWER, 'end_turn']);
      assert.equal(whole.data.usage.service_tier, standard);
      await script.checkNothingOfOursWentUp();
      const { events } = await drain(await stream(new Script(), fields));
      assert.deepEqual([types(events), textOf(events)], [WHOLE_STREAM, ANSWER]);
      const { helper } = await helped(new Script(), fields);
      assert.equal((await helper.finalMessage()).content[0].text, ANSWER);
    });

    test(`${model} calls tools and takes their results and thoughts`, async () => {
      for (const thinking of [undefined, { type: 'adaptive' }]) {
        const fields = { ...DEFAULT, model, tools: [WEATHER], thinking, max_tokens: 4096 };
        const script = () => new Script({ any: { content: ['reasoning_summary', 'parallel_tool_calls'] } });
        const { helper } = await helped(script(), fields);
        for (const message of [await create(script(), fields), await helper.finalMessage()]) {
          const calls = message.content.filter((block) => block.type === 'tool_use');
          assert.deepEqual([message.stop_reason, calls.length], ['tool_use', 2]);
          assert.equal(message.content.some((block) => block.type === 'thinking'), thinking !== undefined);
          const results = calls.map((call) => ({ type: 'tool_result', tool_use_id: call.id, content: 'Sunny' }));
          const messages = [
            { role: 'user', content: new Script().prompt },
            { role: 'assistant', content: message.content },
            { role: 'user', content: results },
          ];
          assert.ok((await create(undefined, { ...fields, messages })).content.at(-1).text);
        }
      }
    });

    test(`${model} is raced`, async () => {
      const won = new Script();
      const message = await create(won, { ...RACE, model });
      assert.deepEqual([message.usage.service_tier, await won.tiers()], ['flex', ['flex']]);
      const lost = new Script({ flex: SILENT });
      const { helper } = await helped(lost, { ...RACE, model });
      assert.equal((await helper.finalMessage()).usage.service_tier, standard);
      assert.deepEqual(await lost.tiers(), ['flex', standard]);
    });

    test(`a stream of ${model} that breaks raises`, async () => {
      for (const cut of [...CUTS, FAULT]) {
        const { error } = await drain(await stream(new Script({ any: cut }), { ...DEFAULT, model }));
        assert.ok(error instanceof Anthropic.APIError);
      }
    });
  }

  test('an error of ours is read through the sdk', async () => {
    const error = await rejection(create(undefined, {}), Anthropic.BadRequestError);
    checkFields(error, { status: 400, type: 'invalid_request_error', requestID: error.error.request_id });
    assert.match(error.requestID, /^req_/);
    assert.match(error.error.error.message, /start_within is required/);
    checkFields(error.error.error.flexinference, { code: 'missing_start_within', origin: 'flexinference' });
  });

  test('an error of the provider keeps its status code and message', async () => {
    for (const [status, kind, type, text] of [
      [429, Anthropic.RateLimitError, 'rate_limit_error', /would exceed your organization's rate limit/],
      [500, Anthropic.InternalServerError, 'api_error', /Internal server error/],
      [529, Anthropic.InternalServerError, 'overloaded_error', /Overloaded/],
    ]) {
      const error = await rejection(create(new Script({ any: { status, retry_after: '7' } })), kind);
      checkFields(error, { status, type });
      assert.match(error.error.error.message, text);
      checkHeaders(error.headers, { 'retry-after': '7' });
      checkFields(error.error.error.flexinference, { code: null, origin: 'provider', provider_code: type });
    }
  });

  test('a bad key is an authentication error', async () => {
    const stranger = client.withOptions({ apiKey: BAD_KEY });
    const error = await rejection(stranger.messages.create(asked()), Anthropic.AuthenticationError);
    checkFields(error, { status: 401, type: 'authentication_error' });
    checkFields(error.error.error.flexinference, { code: 'invalid_api_key' });
  });

  test('a rejected provider key is a permission error', async () => {
    const error = await rejection(create(new Script({ any: { status: 401 } })), Anthropic.PermissionDeniedError);
    checkFields(error.error.error.flexinference, { code: 'upstream_auth_failed', status: 403 });
  });

  test('the key may come in the header of the vendor', async () => {
    // As the SDK sent it before version 1.
    const defaultHeaders = { 'x-api-key': KEY, authorization: null };
    const old = new Anthropic({ apiKey: 'unused', baseURL: ROUTER, maxRetries: 0, defaultHeaders });
    const script = new Script();
    assert.equal((await old.messages.create(asked(script))).content[0].text, ANSWER);
    await script.checkNothingOfOursWentUp();
  });

  test('a cut stream raises in the raw stream and in the helper', async () => {
    for (const cut of CUTS) {
      const raw = await drain(await stream(new Script({ any: cut })));
      const helper = await helped(new Script({ any: cut }));
      for (const { events, error } of [raw, helper]) {
        assert.deepEqual(types(events), WHOLE_STREAM.slice(0, -1));
        assert.ok(error instanceof Anthropic.APIError);
        // The status line was sent long ago, so the SDK has no status for it.
        checkFields(error, { status: undefined, type: 'api_error' });
        checkCut(error.error.error.flexinference, 'anthropic');
      }
      await rejection(helper.helper.finalMessage(), Anthropic.APIError);
    }
  });

  test('a failure of the provider inside a stream is raised', async () => {
    const raw = await drain(await stream(new Script({ any: FAULT })));
    for (const { events, error } of [raw, await helped(new Script({ any: FAULT }))]) {
      assert.deepEqual(types(events), WHOLE_STREAM.slice(0, 3));
      assert.ok(error instanceof Anthropic.APIError);
      assert.deepEqual([error.type, error.error.error.message], ['overloaded_error', 'Overloaded']);
    }
  });

  test('a cut whole answer is a 502', async () => {
    for (const cut of CUTS) {
      const error = await rejection(create(new Script({ any: cut })), Anthropic.InternalServerError);
      checkFields(error, { status: 502, type: 'api_error' });
      checkCut(error.error.error.flexinference, 'anthropic');
    }
  });

  test('include cost adds the cost to the usage', async () => {
    const fields = { ...DEFAULT, include_cost: true };
    checkCost((await create(undefined, fields)).usage, { tier: 'standard', reason: 'tier_direct' });
    const { events } = await drain(await stream(undefined, fields));
    const { usage } = events.find((event) => event.type === 'message_delta');
    checkCost(usage, { tier: 'standard', provider: 'anthropic' });
    assert.equal((await create()).usage.cost, undefined);
  });

  test('the number of retries can be read', async () => {
    const script = new Script({ settled: [{ status: 529, retry_after_ms: 1 }, {}] });
    const { data, response } = await create(script, { ...DEFAULT, retry: { count: 2 } }).withResponse();
    checkHeaders(response.headers, { ...DIRECT, 'x-flexinference-retries': '1' });
    assert.equal(data.content[0].text, ANSWER);
    assert.deepEqual(await script.tiers(), ['standard_only', 'standard_only']);
  });

  test('the headers of router and provider can be read', async () => {
    const { response, request_id } = await create().withResponse();
    checkHeaders(response.headers, {
      ...DIRECT,
      'x-flexinference-served-provider': 'anthropic',
      'x-flexinference-provider-surface': 'anthropic.messages',
      'anthropic-ratelimit-requests-remaining': '3999',
      'request-id': request_id,
      'x-request-id': request_id,
    });
  });

  test('tokens are counted', async () => {
    const { model, messages } = asked();
    assert.ok((await client.messages.countTokens({ model, messages })).input_tokens > 0);
  });
});
