// `flexinference`, the SDK of the hosted service that the router is compatible with: all four surfaces in one client.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  FlexInference, FlexInferenceError, StreamFailedError, interactionText, messageText, outputText,
} from 'flexinference';
import {
  ANSWER, BAD_KEY, CUTS, DEFAULT, DIRECT, FAULT, KEY, LOST, RACE, ROUTER, SILENT, Script, WON, checkCost, checkFields,
  checkHeaders, drain, lostAtTheDeadline, rejection,
} from './rig.mjs';

const BASE_URL = `${ROUTER}/v1`;
const client = new FlexInference({ apiKey: KEY, baseURL: BASE_URL });

const input = (model) => (script, fields) => ({ model, input: script?.prompt ?? 'Hello', ...fields });
const messages = (model, more) => (script, fields) => ({
  model,
  messages: [{ role: 'user', content: script?.prompt ?? 'Hello' }],
  ...more,
  ...fields,
});
const SURFACES = {
  responses: {
    asked: input('gpt-5.5'),
    endpoint: (own) => own.responses,
    text: outputText,
    deltas: (event) => (event.type === 'response.output_text.delta' ? event.delta : ''),
    terminal: (events) => events.at(-1).type === 'response.completed',
    tiers: { settled: 'default', provider: 'openai' },
    served: (answer) => (answer.response ?? answer).service_tier,
    fault: { code: 'server_is_overloaded' },
  },
  chat: {
    asked: messages('gpt-5.5'),
    endpoint: (own) => own.chat.completions,
    text: outputText,
    deltas: (event) => event.choices[0]?.delta.content ?? '',
    terminal: (events) => events.at(-1).choices[0].finish_reason === 'stop',
    tiers: { settled: 'default', provider: 'openai' },
    fault: { code: 'server_is_overloaded' },
  },
  interactions: {
    asked: input('gemini-3.5-flash'),
    endpoint: (own) => own.interactions,
    text: interactionText,
    deltas: (event) => (event.delta?.type === 'text' ? event.delta.text : ''),
    terminal: (events) => events.at(-1).event_type === 'interaction.completed',
    tiers: { settled: 'standard', provider: 'gemini' },
    served: (answer) => (answer.interaction ?? answer).service_tier,
    fault: { code: 'service_unavailable' },
  },
  messages: {
    asked: messages('claude-opus-5', { max_tokens: 64 }),
    endpoint: (own) => own.messages,
    text: messageText,
    deltas: (event) => event.delta?.text ?? '',
    terminal: (events) => events.at(-1).type === 'message_stop',
    tiers: { settled: 'standard_only', provider: 'anthropic' },
    fault: { type: 'overloaded_error' },
  },
};
const RACING = [SURFACES.responses, SURFACES.interactions];

const create = (surface, script, fields = DEFAULT) => surface.endpoint(client).create(surface.asked(script, fields));
const stream = (surface, script, fields = DEFAULT) => create(surface, script, { ...fields, stream: true });
const textOf = (surface, events) => events.map(surface.deltas).join('');

/** A client that keeps the headers of its last answer, through the SDK's own option `fetch`. */
function listening() {
  const heard = {};
  const own = new FlexInference({
    apiKey: KEY,
    baseURL: BASE_URL,
    fetch: async (...call) => {
      const response = await fetch(...call);
      heard.headers = response.headers;
      return response;
    },
  });
  return { own, heard };
}

describe('flexinference', { concurrency: true }, () => {
  test('a whole answer comes back', async () => {
    for (const surface of Object.values(SURFACES)) {
      const script = new Script();
      assert.equal(surface.text(await create(surface, script)), ANSWER);
      assert.deepEqual(await script.tiers(), [surface.tiers.settled]);
      await script.checkNothingOfOursWentUp();
    }
  });

  test('a raw stream comes whole', async () => {
    for (const surface of Object.values(SURFACES)) {
      const { events, error } = await drain(await stream(surface, new Script()));
      assert.equal(error, undefined);
      assert.equal(textOf(surface, events), ANSWER);
      assert.ok(surface.terminal(events));
    }
  });

  test('a race is won by flex', async () => {
    for (const surface of RACING) {
      const { own, heard } = listening();
      const script = new Script();
      const whole = await surface.endpoint(own).create(surface.asked(script, RACE));
      checkHeaders(heard.headers, WON);
      assert.deepEqual([surface.text(whole), surface.served(whole)], [ANSWER, 'flex']);
      assert.deepEqual(await script.tiers(), ['flex']);
      const { events } = await drain(await stream(surface, new Script(), RACE));
      assert.deepEqual([textOf(surface, events), surface.served(events.at(-1))], [ANSWER, 'flex']);
    }
  });

  test('a race is lost at the deadline', async () => {
    await Promise.all(
      RACING.map(async (surface) => {
        const { own, heard } = listening();
        const script = new Script({ flex: SILENT });
        const served = surface.tiers.settled;
        const call = () => surface.endpoint(own).create(surface.asked(script, RACE));
        const whole = await lostAtTheDeadline(script, served, call);
        checkHeaders(heard.headers, LOST);
        assert.deepEqual([surface.text(whole), surface.served(whole)], [ANSWER, served]);
      }),
    );
  });

  test('a duration is refused for claude', async () => {
    const error = await rejection(create(SURFACES.messages, undefined, RACE), FlexInferenceError);
    checkFields(error, { status: 400, code: 'flex_unsupported_for_anthropic', origin: 'flexinference' });
  });

  test('a duration is raced on chat', async () => {
    const script = new Script();
    assert.equal(SURFACES.chat.text(await create(SURFACES.chat, script, RACE)), ANSWER);
    assert.deepEqual(await script.tiers(), ['flex']);
  });

  test('an error of ours is read through the sdk', async () => {
    for (const surface of Object.values(SURFACES)) {
      const refused = create(surface, undefined, { ...DEFAULT, service_tier: 'flex' });
      const error = await rejection(refused, FlexInferenceError);
      checkFields(error, { status: 400, code: 'service_tier_not_allowed', errorClass: 'validation' });
      checkFields(error, { origin: 'flexinference', retryable: false, docUrl: undefined });
    }
  });

  test('an error of the provider keeps its status code and message', async () => {
    for (const surface of Object.values(SURFACES)) {
      const refused = await rejection(create(surface, new Script({ any: { status: 429 } })), FlexInferenceError);
      checkFields(refused, { status: 429, errorClass: 'quota', origin: 'provider', retryable: true });
      assert.equal(refused.provider, surface.tiers.provider);
      assert.match(refused.message, /rate limit/i);
      assert.match(refused.providerCode, /^rate_limit_(exceeded|error)$/);
      const broken = await rejection(stream(surface, new Script({ any: { status: 500 } })), FlexInferenceError);
      checkFields(broken, { status: 500, errorClass: 'upstream', origin: 'provider' });
    }
  });

  test('a bad key is an authentication error', async () => {
    const stranger = new FlexInference({ apiKey: BAD_KEY, baseURL: BASE_URL });
    const call = stranger.responses.create(SURFACES.responses.asked(undefined, DEFAULT));
    checkFields(await rejection(call, FlexInferenceError), { status: 401, code: 'invalid_api_key' });
  });

  test('a cut raw stream raises', async () => {
    for (const surface of Object.values(SURFACES)) {
      for (const cut of CUTS) {
        const { events, error } = await drain(await stream(surface, new Script({ any: cut })));
        assert.equal(textOf(surface, events), ANSWER);
        assert.ok(error instanceof StreamFailedError, `${error}`);
        checkFields(error, { status: 502, code: 'upstream_stream_failed', errorClass: 'upstream', retryable: true });
        assert.equal(error.provider, surface.tiers.provider);
      }
    }
  });

  test('a failure of the provider inside a stream is raised', async () => {
    for (const surface of Object.values(SURFACES)) {
      const { events, error } = await drain(await stream(surface, new Script({ any: FAULT })));
      assert.ok(ANSWER.startsWith(textOf(surface, events)) && textOf(surface, events) !== ANSWER);
      assert.ok(error instanceof StreamFailedError, `${error}`);
      checkFields(error, surface.fault);
      assert.match(error.message, /overloaded/i);
    }
  });

  test('a cut whole answer is a 502', async () => {
    for (const surface of Object.values(SURFACES)) {
      const error = await rejection(create(surface, new Script({ any: CUTS[0] })), FlexInferenceError);
      checkFields(error, { status: 502, code: 'upstream_stream_failed' });
    }
  });

  test('include cost adds the cost to the usage', async () => {
    for (const surface of Object.values(SURFACES)) {
      const { usage } = await create(surface, undefined, { ...DEFAULT, include_cost: true });
      checkCost(usage, { reason: 'tier_direct', mode: 'byok' });
    }
  });

  test('the number of retries can be read', async () => {
    for (const surface of Object.values(SURFACES)) {
      const { own, heard } = listening();
      const script = new Script({ settled: [{ status: 503, retry_after_ms: 1 }, {}] });
      const asked = surface.asked(script, { ...DEFAULT, retry: { count: 1 } });
      assert.equal(surface.text(await surface.endpoint(own).create(asked)), ANSWER);
      checkHeaders(heard.headers, { ...DIRECT, 'x-flexinference-retries': '1' });
    }
  });
});
