import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { systemRandom } from '#seams/random.js';
import { MockClient } from '#testing/mock-client.js';
import { CHARGE, StripeBench, TIMEOUT } from '#testing/stripe-answers.js';
import { startMockProcessor, type Mock } from '../../../apps/mock-processor/src/server.js';
import type { ChargeRequest, Processor } from './processor.js';

/** Long enough for the mock's synced book, short enough to wait for. */
const SHORT = { timeoutMs: 700 };
const FEE = { amount: 103, currency: 'myr' };

const bench = new StripeBench();
let folder: string;
let mock: Mock;
let client: MockClient;
let processor: Processor;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'payonce-adapter-'));
  mock = await startMockProcessor({ bookFile: join(folder, 'book.jsonl') });
  client = new MockClient(mock.url);
  processor = bench.processorAt(mock.url);
});
afterEach(() => client.control('DELETE', 'faults'));
afterAll(async () => {
  await bench.close();
  await mock.close();
  await rm(folder, { recursive: true });
});

function chargeOf(paymentMethod: string, changes: Partial<ChargeRequest> = {}): ChargeRequest {
  return { ...CHARGE, processorKey: systemRandom.uuid(), paymentMethod, ...changes };
}

async function chargesOf({ processorKey }: ChargeRequest): Promise<number> {
  const lines = await client.book();
  const ours = lines.filter(({ metadata }) => metadata['payonce_intent'] === processorKey);
  return ours.filter(({ operation }) => operation === 'charge').length;
}

const succeeded = { kind: 'succeeded', amount: 2500, currency: 'myr', fee: FEE };
const unknown = (reason: string, more: object = {}) => ({ kind: 'unknown', reason, ...more });
const notFound = { kind: 'not_found' };
const storedError = unknown('server_error', { storedError: true, counts: true });
const freshError = unknown('server_error', { storedError: false, counts: false });

describe('each payment method that misbehaves', () => {
  it.each([
    ['pm_123', succeeded, succeeded, succeeded, 1],
    ['pm_test_lose_request', unknown('reset'), notFound, succeeded, 1],
    ['pm_test_timeout_not_charged', unknown('timeout'), notFound, succeeded, 1],
    ['pm_test_down', freshError, notFound, succeeded, 1],
    ['pm_test_lose_response', unknown('reset'), succeeded, succeeded, 1],
    ['pm_test_timeout_charged', unknown('timeout'), succeeded, succeeded, 1],
    ['pm_test_garbage', unknown('nonsense'), succeeded, succeeded, 1],
    ['pm_test_error_charged', freshError, succeeded, storedError, 1],
    ['pm_test_error_not_charged', freshError, notFound, storedError, 0],
    ['pm_test_busy', { kind: 'not_sent', reason: 'rate_limited' }, notFound, succeeded, 1],
    ['pm_test_slow_50', succeeded, succeeded, succeeded, 1],
  ])('%s: first answer, look-up, re-send', async (method, first, lookedUp, again, charges) => {
    const request = chargeOf(method);
    expect(await processor.charge(request, SHORT)).toMatchObject(first);
    expect(await processor.lookUpCharge(request, null, TIMEOUT)).toMatchObject(lookedUp);
    expect(await processor.charge(request, TIMEOUT)).toMatchObject(again);
    expect(await chargesOf(request)).toBe(charges);
  });

  it('pm_test_slow beyond the deadline: in progress for a re-send, then the same charge', async () => {
    const request = chargeOf('pm_test_slow_1500');
    expect(await processor.charge(request, SHORT)).toMatchObject(unknown('timeout'));
    const meanwhile = await processor.charge(request, SHORT);
    expect(meanwhile).toMatchObject(unknown('in_progress', { counts: false }));
    await expect
      .poll(() => processor.charge(request, TIMEOUT), { timeout: 10_000 })
      .toMatchObject(succeeded);
    expect(await chargesOf(request)).toBe(1);
  });

  it('pm_test_busy says when to come back', async () => {
    const outcome = await processor.charge(chargeOf('pm_test_busy'), TIMEOUT);
    expect(outcome).toMatchObject({ retryAfterSeconds: 1 });
  });
});

describe('a decline', () => {
  it.each([
    ['pm_card_chargeDeclined', 'generic_decline'],
    ['pm_card_chargeDeclinedInsufficientFunds', 'insufficient_funds'],
    ['pm_card_visa_chargeDeclinedExpiredCard', 'expired_card'],
    ['pm_card_authenticationRequired', 'authentication_required'],
  ])('%s is kept: first answer, re-send and look-up say %s', async (method, declineCode) => {
    const request = chargeOf(method);
    const declined = { kind: 'declined', stored: true, declineCode };
    const first = await processor.charge(request, TIMEOUT);
    expect(first).toMatchObject(declined);
    expect(first).toMatchObject({ processorId: expect.stringMatching(/^pi_/) });
    expect(await processor.charge(request, TIMEOUT)).toEqual(first);
    expect(await processor.lookUpCharge(request, null, TIMEOUT)).toMatchObject(declined);
    expect(await chargesOf(request)).toBe(0);
  });

  it('by validation is not kept', async () => {
    const request = chargeOf('card_4');
    expect(await processor.charge(request, TIMEOUT)).toMatchObject({
      kind: 'declined',
      stored: false,
      declineCode: 'resource_missing',
      processorId: null,
    });
    expect(await processor.lookUpCharge(request, null, TIMEOUT)).toEqual(notFound);
  });
});

describe('the rules of the keys', () => {
  it('the same key with another amount is a mismatch, and what exists is found', async () => {
    const request = chargeOf('pm_123');
    await processor.charge(request, TIMEOUT);
    const other = { ...request, amount: 2600 };
    expect(await processor.charge(other, TIMEOUT)).toMatchObject(unknown('key_mismatch'));
    const found = await processor.lookUpCharge(other, null, TIMEOUT);
    expect(found).toMatchObject({ kind: 'conflict' });
  });

  it('the id finds what the reference finds', async () => {
    const request = chargeOf('pm_123');
    const charged = await processor.charge(request, TIMEOUT);
    const id = charged.kind === 'succeeded' ? charged.processorId : null;
    expect(await processor.lookUpCharge(request, id, TIMEOUT)).toEqual(charged);
    expect(await processor.lookUpCharge(request, 'pi_unheard_of', TIMEOUT)).toEqual(notFound);
  });

  it.each([
    ['running_409', unknown('in_progress')],
    ['running_429', unknown('in_progress')],
    ['running_422', unknown('in_progress')],
  ])('%s while the first is running is unknown', async (mode, outcome) => {
    await client.faults({ mode });
    const request = chargeOf('pm_test_slow_1000');
    const first = processor.charge(request, TIMEOUT);
    await expect.poll(() => processor.charge(request, { timeoutMs: 600 })).toMatchObject(outcome);
    expect(await first).toMatchObject(succeeded);
  });

  it('two charges under one reference, by a processor without keys, are a conflict', async () => {
    await client.faults({ mode: 'no_keys' });
    const request = chargeOf('pm_123');
    await processor.charge(request, TIMEOUT);
    await processor.charge(request, TIMEOUT);
    const found = await processor.lookUpCharge(request, null, TIMEOUT);
    expect(found).toMatchObject({ kind: 'conflict' });
  });

  it('a replay of the current state is read as what it is', async () => {
    await client.faults({ mode: 'current_state_replay' });
    const request = chargeOf('pm_card_chargeDeclinedInsufficientFunds');
    const declined = { kind: 'declined', stored: true, declineCode: 'insufficient_funds' };
    expect(await processor.charge(request, TIMEOUT)).toMatchObject(declined);
    expect(await processor.charge(request, TIMEOUT)).toMatchObject(declined);
  });

  it('a closed door is not sent', async () => {
    await client.faults({ fault: 'refuse', for_ms: 500 });
    const refused = { kind: 'not_sent', reason: 'connect_refused' };
    await expect.poll(() => processor.charge(chargeOf('pm_123'), SHORT)).toMatchObject(refused);
    await expect
      .poll(() => processor.charge(chargeOf('pm_123'), SHORT), { timeout: 5000 })
      .toMatchObject(succeeded);
  });
});

it('the mock tells whose key ours is', async () => {
  expect(await processor.account(TIMEOUT)).toMatch(/^acct_/);
});
