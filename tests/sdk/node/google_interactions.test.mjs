// `@google/genai`, its Interactions: whole and streamed (it has no second way).

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { GoogleGenAI } from '@google/genai';
import {
  ANSWER, BAD_KEY, CUTS, DEFAULT, DIRECT, FAULT, KEY, LOST, RACE, ROUTER, SILENT, Script, WON, checkCost, checkCut,
  checkFields, checkHeaders, drain, lostAtTheDeadline, rejection,
} from './rig.mjs';

const MODEL = 'gemini-3.5-flash';
const OTHERS = [
  { model: 'claude-opus-5', standard: 'standard' },
  { model: 'gpt-5.5', standard: 'default' },
];
const WEATHER = {
  type: 'function',
  name: 'get_weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const ONCE = { maxRetries: 0 };
const clientWith = (options) => new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: ROUTER }, ...options });
const client = clientWith({});
const WHOLE_STREAM = [
  'interaction.created',
  'interaction.status_update',
  'step.start',
  'step.delta',
  'step.stop',
  'step.start',
  'step.delta',
  'step.delta',
  'step.delta',
  'step.stop',
  'interaction.completed',
];

const asked = (script, fields = DEFAULT) => ({ model: MODEL, input: script?.prompt ?? 'Hello', ...fields });
const create = (script, fields) => client.interactions.create(asked(script, fields), ONCE);
const stream = (script, fields = DEFAULT) => create(script, { ...fields, stream: true });
const types = (events) => events.map((event) => event.event_type);
const textOf = (events) => events.map((event) => event.delta?.text ?? '').join('');

/** The SDK does not export its error classes: the name is what a caller can go by. */
async function refusal(promise, name) {
  const error = await rejection(promise, Error);
  assert.equal(error.name, name);
  return { status: error.status, headers: error.headers, body: error.error.error, url: error.rawResponse.url };
}

describe('google interactions', { concurrency: true }, () => {
  test('a whole answer comes back', async () => {
    const script = new Script();
    const interaction = await create(script);
    checkFields(interaction, { output_text: ANSWER, status: 'completed', service_tier: 'standard' });
    assert.deepEqual(await script.tiers(), ['standard']);
    await script.checkNothingOfOursWentUp();
  });

  test('both versions of the path are served', async () => {
    for (const apiVersion of ['v1', 'v1beta']) {
      const own = clientWith({ apiVersion });
      assert.equal((await own.interactions.create(asked())).output_text, ANSWER);
      const { url } = await refusal(own.interactions.create(asked(undefined, {})), 'BadRequestError');
      assert.equal(url, `${ROUTER}/${apiVersion}/interactions`);
    }
  });

  test('a raw stream comes whole', async () => {
    const { events, error } = await drain(await stream(new Script()));
    assert.equal(error, undefined);
    assert.deepEqual([types(events), textOf(events)], [WHOLE_STREAM, ANSWER]);
    checkFields(events.at(-1).interaction, { status: 'completed', service_tier: 'standard' });
  });

  test('a race is won by flex', async () => {
    const scripts = [new Script(), new Script()];
    const whole = await create(scripts[0], RACE);
    checkHeaders(whole.sdkHttpResponse.headers, WON);
    // Put together from the stream that flex was asked for.
    checkFields(whole, { output_text: ANSWER, status: 'completed', service_tier: 'flex' });
    const { events } = await drain(await stream(scripts[1], RACE));
    assert.deepEqual([types(events), textOf(events)], [WHOLE_STREAM, ANSWER]);
    assert.equal(events.at(-1).interaction.service_tier, 'flex');
    for (const script of scripts) assert.deepEqual(await script.tiers(), ['flex']);
  });

  test('a race is lost at the deadline', async () => {
    const scripts = [new Script({ flex: SILENT }), new Script({ flex: SILENT })];
    const [whole, streamed] = await Promise.all([
      lostAtTheDeadline(scripts[0], 'standard', () => create(scripts[0], RACE)),
      lostAtTheDeadline(scripts[1], 'standard', () => stream(scripts[1], RACE)),
    ]);
    checkHeaders(whole.sdkHttpResponse.headers, LOST);
    checkFields(whole, { output_text: ANSWER, service_tier: 'standard' });
    const { events } = await drain(streamed);
    assert.deepEqual([types(events), textOf(events)], [WHOLE_STREAM, ANSWER]);
    assert.equal(events.at(-1).interaction.service_tier, 'standard');
  });

  test('our fields may come in the body option', async () => {
    const script = new Script();
    const { start_within, ...request } = asked(script, RACE);
    const interaction = await client.interactions.create(request, { ...ONCE, body: { start_within } });
    checkFields(interaction, { output_text: ANSWER, service_tier: 'flex' });
    await script.checkNothingOfOursWentUp();
  });

  for (const { model, standard } of OTHERS) {
    test(`${model} answers`, async () => {
      const fields = { ...DEFAULT, model };
      const script = new Script();
      const interaction = await create(script, fields);
      checkFields(interaction, { output_text: ANSWER, status: 'completed', service_tier: standard });
      await script.checkNothingOfOursWentUp();
      const { events } = await drain(await stream(new Script(), fields));
      assert.equal(textOf(events), ANSWER);
      assert.equal(types(events).at(-1), 'interaction.completed');
    });

    test(`${model} calls tools and takes their results and thoughts`, async () => {
      const generation_config = { thinking_level: 'low', thinking_summaries: 'auto' };
      const fields = { ...DEFAULT, model, tools: [WEATHER], generation_config };
      const asking = new Script({ any: { content: ['reasoning_summary', 'parallel_tool_calls'] } });
      const { status, steps } = await create(asking, fields);
      const calls = steps.filter((step) => step.type === 'function_call');
      assert.deepEqual([status, calls.length], ['requires_action', 2]);
      assert.ok(steps.some((step) => step.type === 'thought' && step.signature));
      const results = calls.map(({ id, name }) => ({ type: 'function_result', call_id: id, name, result: 'Sunny' }));
      const first = { type: 'user_input', content: [{ type: 'text', text: new Script().prompt }] };
      const interaction = await create(undefined, { ...fields, input: [first, ...steps, ...results] });
      assert.ok(interaction.output_text);
    });
  }

  test('an error of ours is read through the sdk', async () => {
    const { status, body, headers } = await refusal(create(undefined, {}), 'BadRequestError');
    assert.deepEqual([status, body.code, body.status], [400, 400, 'INVALID_ARGUMENT']);
    assert.match(body.message, /start_within is required/);
    assert.match(headers.get('x-request-id'), /^req_/);
    checkFields(body.flexinference, { code: 'missing_start_within', origin: 'flexinference', retryable: false });
  });

  test('an error of the provider keeps its status code and message', async () => {
    for (const [provider, name, code, word, text] of [
      [429, 'RateLimitError', 'rate_limit_exceeded', 'RESOURCE_EXHAUSTED', /You have exceeded the rate limit\./],
      [500, 'InternalServerError', 'api_error', 'INTERNAL', /An internal error has occurred\./],
    ]) {
      const script = new Script({ any: { status: provider, retry_after: '7' } });
      const { status, body, headers } = await refusal(create(script), name);
      assert.deepEqual([status, body.code, body.status], [provider, code, word]);
      assert.match(body.message, text);
      checkHeaders(headers, { 'retry-after': '7' });
      checkFields(body.flexinference, { code: null, origin: 'provider', provider_code: code });
    }
  });

  test('a bad key is an authentication error', async () => {
    const stranger = clientWith({ apiKey: BAD_KEY });
    const { status, body } = await refusal(stranger.interactions.create(asked()), 'AuthenticationError');
    assert.deepEqual([status, body.status], [401, 'UNAUTHENTICATED']);
    checkFields(body.flexinference, { code: 'invalid_api_key' });
  });

  test('a rejected provider key is a permission error', async () => {
    const { status, body } = await refusal(create(new Script({ any: { status: 401 } })), 'PermissionDeniedError');
    assert.equal(status, 403);
    checkFields(body.flexinference, { code: 'upstream_auth_failed' });
  });

  test('a cut raw stream shows its failure', async () => {
    for (const cut of CUTS) {
      for (const fields of [DEFAULT, RACE]) {
        const { events, error } = await drain(await stream(new Script({ any: cut }), fields));
        // This SDK throws nothing here: the failure is the last event.
        assert.equal(error, undefined);
        assert.deepEqual(types(events), [...WHOLE_STREAM.slice(0, -1), 'error']);
        assert.equal(textOf(events), ANSWER);
        checkFields(events.at(-1).error, { code: 'upstream_stream_failed', status: 'UNAVAILABLE' });
        checkCut(events.at(-1).error.flexinference, 'gemini');
      }
    }
  });

  test('a failure of the provider inside a stream is shown', async () => {
    const { events, error } = await drain(await stream(new Script({ any: FAULT })));
    assert.equal(error, undefined);
    assert.deepEqual(types(events), [...WHOLE_STREAM.slice(0, 4), 'error']);
    const message = 'The model is overloaded. Please try again later.';
    checkFields(events.at(-1).error, { code: 'service_unavailable', message });
  });

  test('a cut whole answer is a 502', async () => {
    for (const cut of CUTS) {
      for (const fields of [DEFAULT, RACE]) {
        const { status, body } = await refusal(create(new Script({ any: cut }), fields), 'InternalServerError');
        assert.equal(status, 502);
        checkCut(body.flexinference, 'gemini');
      }
    }
  });

  test('include cost adds the cost to the usage', async () => {
    const whole = await create(undefined, { ...DEFAULT, include_cost: true });
    checkCost(whole.usage, { tier: 'standard', reason: 'tier_direct' });
    const { events } = await drain(await stream(undefined, { ...RACE, include_cost: true }));
    checkCost(events.at(-1).interaction.usage, { tier: 'flex', reason: 'flex_won', provider: 'google' });
    assert.equal((await create()).usage.cost, undefined);
  });

  test('the number of retries can be read', async () => {
    const script = new Script({ settled: [{ status: 503, retry_after_ms: 1 }, {}] });
    const interaction = await create(script, { ...DEFAULT, retry: { count: 1 } });
    checkHeaders(interaction.sdkHttpResponse.headers, { ...DIRECT, 'x-flexinference-retries': '1' });
    assert.equal(interaction.output_text, ANSWER);
    assert.deepEqual(await script.tiers(), ['standard', 'standard']);
  });

  test('the headers of router and provider can be read', async () => {
    const { sdkHttpResponse } = await create();
    checkHeaders(sdkHttpResponse.headers, {
      ...DIRECT,
      'x-flexinference-served-provider': 'google',
      'x-flexinference-provider-surface': 'gemini.interactions',
      vary: 'Origin, X-Origin, Referer',
    });
  });
});
