// What every test needs: where the router is, scripts for the simulated provider, and what that provider saw.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';

export const ROUTER = process.env.SDK_TEST_ROUTER;
const SIMULATOR = process.env.SDK_TEST_SIMULATOR;
export const KEY = process.env.SDK_TEST_KEY;
// The right shape, the wrong checksum.
export const BAD_KEY = `flex_live_${'0'.repeat(30)}`;

export const DEFAULT = { start_within: 'default' };
export const RACE = { start_within: '00h-00m-05s' };
const DEADLINE_MS = 5_000;
// Longer than this after the deadline, and something else than the deadline has decided.
const SLACK_MS = 5_000;
export const ANSWER = 'You said: Hello';

// Both ways of losing the provider in the middle of an answer.
export const CUTS = ['fin', 'rst'].map((how) => ({ cut: { before_terminal: true, how } }));
// The provider says in the stream, after the first words, that it has failed.
export const FAULT = { fault: 'after_start' };
export const SILENT = { silent: 'queued' };

export const WON = {
  'x-flexinference-flex-requested': 'true',
  'x-flexinference-flex-applied': 'true',
  'x-flexinference-flex-reason': 'flex_committed',
  'x-flexinference-routing-reason': 'flex_won',
};
export const LOST = {
  'x-flexinference-flex-requested': 'true',
  'x-flexinference-flex-applied': 'false',
  'x-flexinference-flex-reason': 'flex_lost_race',
  'x-flexinference-routing-reason': 'flex_deadline',
};
export const DIRECT = {
  'x-flexinference-flex-requested': 'false',
  'x-flexinference-flex-applied': 'false',
  'x-flexinference-flex-reason': 'not_requested',
  'x-flexinference-routing-reason': 'tier_direct',
};

/** A prompt that tells the simulator what to do, by tier (`flex`, `settled`) or for `any`. */
export class Script {
  constructor(behaviours = {}) {
    this.id = randomUUID();
    this.prompt = `Hello [[sim ${JSON.stringify({ id: this.id, ...behaviours })}]]`;
  }

  /** The requests with this prompt that reached the provider. */
  async attempts() {
    const seen = await (await fetch(`${SIMULATOR}/sim/seen`)).json();
    return seen.filter((request) => request.id === this.id);
  }

  async tiers() {
    return (await this.attempts()).map((attempt) => attempt.tier);
  }

  async checkNothingOfOursWentUp() {
    const attempts = await this.attempts();
    assert.notEqual(attempts.length, 0);
    for (const attempt of attempts) {
      const fields = Object.keys(JSON.parse(attempt.body));
      assert.deepEqual(fields.filter((field) => ['start_within', 'retry', 'include_cost'].includes(field)), []);
      assert.ok(!JSON.stringify(attempt).includes(KEY));
    }
  }
}

/** Checks headers, which are a `Headers` or a plain object. */
export function checkHeaders(headers, expected) {
  const value = (name) => (headers instanceof Headers ? headers.get(name) : headers[name]);
  assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, value(name)])), expected);
}

/** Checks fields of an object, such as the `flexinference` block of an error. */
export function checkFields(object, expected) {
  assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, object[name]])), expected);
}

export function checkCut(block, provider) {
  checkFields(block, { code: 'upstream_stream_failed', status: 502, provider, retryable: true });
}

/** `include_cost` adds both to the usage. */
export function checkCost(usage, routing) {
  assert.ok(usage.cost.total_micro_usd > 0);
  assert.equal(usage.cost.currency, 'USD');
  checkFields(usage.routing, routing);
}

/** Runs a call that ends when its race does; `settled` is the tier that serves then. */
export async function lostAtTheDeadline(script, settled, call) {
  const began = performance.now();
  const outcome = await call();
  const took = performance.now() - began;
  assert.ok(took >= DEADLINE_MS && took < DEADLINE_MS + SLACK_MS, `${took} ms`);
  assert.deepEqual(await script.tiers(), ['flex', settled]);
  return outcome;
}

/** Everything a stream delivers, and what it throws at its end. */
export async function drain(stream) {
  const events = [];
  try {
    for await (const event of stream) events.push(event);
  } catch (error) {
    return { events, error };
  }
  return { events, error: undefined };
}

/** What the promise is rejected with, which must be of this class. */
export async function rejection(promise, kind) {
  const outcome = await promise.then(
    () => assert.fail('the call has succeeded'),
    (error) => error,
  );
  assert.ok(outcome instanceof kind, `${outcome?.constructor?.name}: ${outcome?.message}`);
  return outcome;
}
