// `openai`, its Responses: whole, raw stream, `responses.stream()` helper.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import OpenAI from 'openai';
import {
  ANSWER, BAD_KEY, CUTS, DEFAULT, DIRECT, FAULT, KEY, LOST, RACE, ROUTER, SILENT, Script, WON, checkCost, checkCut,
  checkFields, checkHeaders, drain, lostAtTheDeadline, rejection,
} from './rig.mjs';

const MODEL = 'gpt-5.5';
const OTHERS = [
  { model: 'claude-opus-5', surface: 'anthropic.messages' },
  { model: 'gemini-3.5-flash', surface: 'gemini.interactions' },
];
const WEATHER = {
  type: 'function',
  name: 'get_weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  strict: false,
};
const client = new OpenAI({ apiKey: KEY, baseURL: `${ROUTER}/v1`, maxRetries: 0 });
const WHOLE_STREAM = [
  'response.created',
  'response.in_progress',
  'response.output_item.added',
  'response.content_part.added',
  'response.output_text.delta',
  'response.output_text.delta',
  'response.output_text.delta',
  'response.output_text.done',
  'response.content_part.done',
  'response.output_item.done',
  'response.completed',
];
const CUT_STREAM = [...WHOLE_STREAM.slice(0, -1), 'response.failed'];
const UP_TO_THE_FIRST_WORD = WHOLE_STREAM.slice(0, 5);

const asked = (script, fields = DEFAULT) => ({ model: MODEL, input: script?.prompt ?? 'Hello', ...fields });
const create = (script, fields) => client.responses.create(asked(script, fields));
const stream = (script, fields = DEFAULT) => client.responses.create(asked(script, { ...fields, stream: true }));
const types = (events) => events.map((event) => event.type);
const streamedText = (events) =>
  events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('');

/** What the helper delivers, what its iteration throws, and the helper for its final response. */
async function helped(script, fields) {
  const helper = client.responses.stream(asked(script, fields));
  return { helper, ...(await drain(helper)) };
}

describe('openai responses', { concurrency: true }, () => {
  test('a whole answer comes back', async () => {
    const script = new Script();
    const response = await create(script);
    checkFields(response, { output_text: ANSWER, status: 'completed', service_tier: 'default' });
    assert.match(response._request_id, /^req_/);
    assert.deepEqual(await script.tiers(), ['default']);
    await script.checkNothingOfOursWentUp();
  });

  test('a raw stream comes whole', async () => {
    const { data, response } = await stream(new Script()).withResponse();
    checkHeaders(response.headers, { ...DIRECT, 'cache-control': 'no-cache' });
    const { events, error } = await drain(data);
    assert.equal(error, undefined);
    assert.deepEqual(types(events), WHOLE_STREAM);
    assert.equal(streamedText(events), ANSWER);
    assert.deepEqual(events.map((event) => event.sequence_number), [...events.keys()]);
  });

  test('the helper streams the same answer', async () => {
    const { helper, events, error } = await helped(new Script());
    assert.equal(error, undefined);
    assert.deepEqual(types(events), WHOLE_STREAM);
    checkFields(await helper.finalResponse(), { output_text: ANSWER, status: 'completed' });
  });

  test('a race is won by flex', async () => {
    const scripts = [new Script(), new Script(), new Script()];
    const whole = await create(scripts[0], RACE).withResponse();
    checkHeaders(whole.response.headers, WON);
    checkFields(whole.data, { output_text: ANSWER, service_tier: 'flex' });
    const streamed = await stream(scripts[1], RACE).withResponse();
    checkHeaders(streamed.response.headers, WON);
    const { events } = await drain(streamed.data);
    assert.deepEqual(types(events), WHOLE_STREAM);
    assert.equal(events.at(-1).response.service_tier, 'flex');
    const { helper } = await helped(scripts[2], RACE);
    checkFields(await helper.finalResponse(), { output_text: ANSWER, service_tier: 'flex' });
    for (const script of scripts) assert.deepEqual(await script.tiers(), ['flex']);
  });

  test('a race is lost at the deadline', async () => {
    const scripts = [1, 2, 3].map(() => new Script({ flex: SILENT }));
    const [whole, streamed, helper] = await Promise.all([
      lostAtTheDeadline(scripts[0], 'default', () => create(scripts[0], RACE).withResponse()),
      lostAtTheDeadline(scripts[1], 'default', () => stream(scripts[1], RACE).withResponse()),
      lostAtTheDeadline(scripts[2], 'default', () => helped(scripts[2], RACE)),
    ]);
    checkHeaders(whole.response.headers, LOST);
    checkFields(whole.data, { output_text: ANSWER, service_tier: 'default' });
    checkHeaders(streamed.response.headers, LOST);
    const { events } = await drain(streamed.data);
    assert.deepEqual(types(events), WHOLE_STREAM);
    assert.equal(events.at(-1).response.service_tier, 'default');
    assert.deepEqual(types(helper.events), WHOLE_STREAM);
    assert.equal((await helper.helper.finalResponse()).service_tier, 'default');
  });

  for (const { model, surface } of OTHERS) {
    test(`${model} answers`, async () => {
      const fields = { ...DEFAULT, model };
      const script = new Script();
      const whole = await create(script, fields).withResponse();
      checkHeaders(whole.response.headers, { ...DIRECT, 'x-flexinference-provider-surface': surface });
      checkFields(whole.data, { output_text: ANSWER, status: 'completed', service_tier: 'standard' });
      await script.checkNothingOfOursWentUp();
      const { events } = await drain(await stream(new Script(), fields));
      assert.equal(streamedText(events), ANSWER);
      assert.deepEqual(events.map((event) => event.sequence_number), [...events.keys()]);
      const { helper } = await helped(new Script(), fields);
      assert.equal((await helper.finalResponse()).output_text, ANSWER);
    });

    test(`${model} calls tools and takes their results and thoughts`, async () => {
      const fields = { ...DEFAULT, model, tools: [WEATHER], reasoning: { effort: 'low', summary: 'auto' } };
      const script = () => new Script({ any: { content: ['reasoning_summary', 'parallel_tool_calls'] } });
      const { helper } = await helped(script(), fields);
      for (const response of [await create(script(), fields), await helper.finalResponse()]) {
        const calls = response.output.filter((item) => item.type === 'function_call');
        assert.equal(calls.length, 2);
        assert.ok(response.output.some((item) => item.type === 'reasoning' && item.encrypted_content));
        const results = calls.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: 'Sunny' }));
        const input = [{ role: 'user', content: new Script().prompt }, ...response.output, ...results];
        assert.ok((await create(undefined, { ...fields, input })).output_text);
      }
    });
  }

  test('an error of ours is read through the sdk', async () => {
    const error = await rejection(create(undefined, {}), OpenAI.BadRequestError);
    checkFields(error, { status: 400, code: 'missing_start_within', type: 'invalid_request_error' });
    assert.equal(error.param, 'start_within');
    assert.match(error.message, /start_within is required/);
    assert.match(error.requestID, /^req_/);
    checkFields(error.error.flexinference, { code: 'missing_start_within', origin: 'flexinference', retryable: false });
  });

  test('an error of the provider keeps its status code and message', async () => {
    const full = new Script({ any: { status: 429, retry_after: '7' } });
    const refused = await rejection(create(full), OpenAI.RateLimitError);
    checkFields(refused, { status: 429, code: 'rate_limit_exceeded', type: 'requests' });
    assert.match(refused.message, /Rate limit reached for gpt-5\.5/);
    checkHeaders(refused.headers, { 'retry-after': '7' });
    const provider = { code: null, origin: 'provider', provider_code: 'rate_limit_exceeded' };
    checkFields(refused.error.flexinference, provider);
    const broken = await rejection(stream(new Script({ any: { status: 500 } })), OpenAI.InternalServerError);
    checkFields(broken, { status: 500, type: 'server_error' });
    assert.match(broken.message, /The server had an error while processing your request\./);
  });

  test('a bad key is an authentication error', async () => {
    const stranger = client.withOptions({ apiKey: BAD_KEY });
    const error = await rejection(stranger.responses.create(asked()), OpenAI.AuthenticationError);
    checkFields(error, { status: 401, code: 'invalid_api_key' });
    assert.ok(!error.message.includes(BAD_KEY));
  });

  test('a rejected provider key is a permission error', async () => {
    const error = await rejection(create(new Script({ any: { status: 401 } })), OpenAI.PermissionDeniedError);
    checkFields(error, { status: 403, code: 'upstream_auth_failed' });
    assert.match(error.message, /Incorrect API key provided\./);
  });

  test('a cut raw stream shows its failure', async () => {
    for (const cut of CUTS) {
      for (const fields of [DEFAULT, RACE]) {
        const { events, error } = await drain(await stream(new Script({ any: cut }), fields));
        assert.equal(error, undefined);
        assert.deepEqual(types(events), CUT_STREAM);
        assert.equal(streamedText(events), ANSWER);
        const failed = events.at(-1);
        assert.equal(failed.sequence_number, events.length - 1);
        checkFields(failed.response, { id: events[0].response.id, status: 'failed' });
        assert.equal(failed.response.error.code, 'upstream_stream_failed');
        checkCut(failed.response.error.flexinference, 'openai');
      }
    }
  });

  test('a cut stream is no success in the helper', async () => {
    for (const cut of CUTS) {
      for (const fields of [DEFAULT, RACE]) {
        const { helper, events, error } = await helped(new Script({ any: cut }), fields);
        assert.equal(error, undefined);
        assert.deepEqual(types(events), CUT_STREAM);
        // Where Python's helper raises, this one gives the failed response, with its error.
        const final = await helper.finalResponse();
        checkFields(final, { status: 'failed', output_text: '' });
        checkCut(final.error.flexinference, 'openai');
      }
    }
  });

  test('a failure of the provider inside a stream is raised', async () => {
    for (const fault of [FAULT, { ...FAULT, fault_bare: true }]) {
      const raw = await drain(await stream(new Script({ any: fault })));
      for (const { events, error } of [raw, await helped(new Script({ any: fault }))]) {
        assert.deepEqual(types(events), UP_TO_THE_FIRST_WORD);
        assert.ok(error instanceof OpenAI.APIError);
        checkFields(error, { code: 'server_is_overloaded', type: 'service_unavailable_error' });
        assert.match(error.message, /Our servers are currently overloaded/);
      }
    }
  });

  test('a cut whole answer is a 502', async () => {
    for (const cut of CUTS) {
      for (const fields of [DEFAULT, RACE]) {
        const error = await rejection(create(new Script({ any: cut }), fields), OpenAI.InternalServerError);
        checkFields(error, { status: 502, code: 'upstream_stream_failed' });
        checkCut(error.error.flexinference, 'openai');
      }
    }
  });

  test('include cost adds the cost to the usage', async () => {
    const whole = await create(undefined, { ...DEFAULT, include_cost: true });
    checkCost(whole.usage, { tier: 'default', reason: 'tier_direct' });
    const { events } = await drain(await stream(undefined, { ...RACE, include_cost: true }));
    checkCost(events.at(-1).response.usage, { tier: 'flex', reason: 'flex_won', provider: 'openai' });
    assert.equal((await create()).usage.cost, undefined);
  });

  test('the number of retries can be read', async () => {
    const refusals = [{ status: 429, retry_after_ms: 1 }, { status: 503, retry_after_ms: 1 }, {}];
    const script = new Script({ settled: refusals });
    const retry = { count: 3, backoff: 'linear', jitter: false };
    const { data, response } = await create(script, { ...DEFAULT, retry }).withResponse();
    checkHeaders(response.headers, { ...DIRECT, 'x-flexinference-retries': '2' });
    assert.equal(data.output_text, ANSWER);
    assert.deepEqual(await script.tiers(), ['default', 'default', 'default']);
  });

  test('the headers of router and provider can be read', async () => {
    const { response, request_id } = await create().withResponse();
    checkHeaders(response.headers, {
      ...DIRECT,
      'x-flexinference-served-provider': 'openai',
      'x-flexinference-provider-surface': 'openai.responses',
      'x-ratelimit-remaining-requests': '9999',
      'x-request-id': request_id,
    });
    assert.ok(Number(response.headers.get('x-flexinference-cost')) > 0);
  });

  test('the catalogue is listed', async () => {
    const { events: models } = await drain(client.models.list());
    const listed = models.find((model) => model.id === MODEL);
    assert.deepEqual(await client.models.retrieve(MODEL), listed);
    assert.equal(listed.flexinference.flex_race, true);
    assert.equal(models.find((model) => model.id === 'claude-opus-5').flexinference.flex_race, false);
    const error = await rejection(client.models.retrieve('gpt-5.5-2026-04-23'), OpenAI.NotFoundError);
    checkFields(error, { status: 404, code: 'model_not_found' });
  });
});
