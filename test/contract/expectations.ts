import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { PROBLEMS, type ProblemCode } from '#problems/registry.js';
import type { Answer } from '#testing/http.js';
import { HONEST, type World } from './contract-world.js';

export type Refusal = {
  code: ProblemCode;
  param?: string | null;
  /** The key that the request names, if it can be read: the fixed request runs under it afterwards. */
  key?: string;
};

/** Refused, and nothing happened: nothing stored, nothing asked of the processor, the same key still good. */
export async function expectRefused(
  world: World,
  send: () => Promise<Answer>,
  refusal: Refusal,
): Promise<Answer> {
  const before = await world.footprint();
  const answer = await send();
  expectProblem(answer, refusal);
  expect(await world.footprint(), 'something was left behind').toEqual(before);
  if (refusal.key !== undefined) {
    const fixed = await world.post(HONEST, { key: refusal.key });
    expect(fixed.status, `the fixed request: ${fixed.text}`).toBe(201);
    expect(fixed.headers.get('idempotent-replayed')).toBeNull();
  }
  return answer;
}

/** The whole form of a problem: members, page, headers. */
export function expectProblem(answer: Answer, { code, param, key }: Refusal): void {
  expect(answer.json?.code, answer.text).toBe(code);
  const definition = PROBLEMS[code] as { status: number; retryAfterSeconds?: number; saved?: true };
  expect(answer.status).toBe(definition.status);
  expect(answer.json).toMatchObject({
    type: `/docs/problems/${code}`,
    title: expect.stringMatching(/./),
    status: definition.status,
    detail: expect.stringMatching(/./),
    retryable: PROBLEMS[code].retryable,
    request_id: expect.stringMatching(/^req_/),
  });
  expect(answer.json).toHaveProperty('param');
  if (param !== undefined) expect(answer.json.param, answer.text).toBe(param);
  expect(existsSync(join(DOCS, `${answer.json.type}.md`)), 'the page of its type').toBe(true);
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  const requestId = answer.headers.get('request-id');
  if (definition.saved) expect(requestId).toMatch(/^req_/);
  else expect(requestId).toBe(answer.json.request_id);
  if (key !== undefined && answer.headers.has('idempotency-key')) {
    expect(answer.headers.get('idempotency-key')).toBe(key);
  }
  expectRetryAfter(answer, definition.retryAfterSeconds !== undefined);
}

/**
 * Equal in status, bytes, type and Location to the first answer, and marked as history. `claimed` is the
 * answer to the request that claimed the key, where that was another one.
 */
export function expectReplay(again: Answer, first: Answer, claimed: Answer = first): void {
  expect(again.status, again.text).toBe(first.status);
  expect(again.text).toBe(first.text);
  expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
  expect(again.headers.get('location')).toBe(first.headers.get('location'));
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  const original = claimed.headers.get('original-request') ?? claimed.headers.get('request-id');
  expect(again.headers.get('original-request')).toBe(original);
  expect(again.headers.get('request-id')).not.toBe(first.headers.get('request-id'));
  expect(again.headers.get('idempotency-key')).toBe(first.headers.get('idempotency-key'));
  expect(again.headers.get('cache-control')).toBe('no-store');
  expect(again.headers.get('set-cookie')).toBeNull();
}

/** A first answer: 201, its Location, not marked as a replay. */
export function expectCharged(answer: Answer): void {
  expect(answer.status, answer.text).toBe(201);
  expect(answer.json).toMatchObject({ object: 'payment', status: 'succeeded' });
  expect(answer.headers.get('location')).toBe(`/v1/payments/${answer.json.id}`);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(answer.headers.get('idempotent-replayed')).toBeNull();
  expect(answer.headers.get('cache-control')).toBe('no-store');
}

/** 202: the payment is pending, and the answer says where to look and when to ask again. */
export function expectPending(answer: Answer): void {
  expect(answer.status, answer.text).toBe(202);
  expect(answer.json).toMatchObject({ object: 'payment', status: 'pending' });
  expect(answer.json.unresolved).toMatch(/./);
  expect(answer.headers.get('location')).toBe(`/v1/payments/${answer.json.id}`);
  expectRetryAfter(answer, true);
}

const DOCS = join(import.meta.dirname, '../..');
const ANSWERS_KEPT_SECONDS = 7 * 86_400;

/** Whole seconds, and never so long that the answer would be gone by then. */
function expectRetryAfter(answer: Answer, demanded: boolean): void {
  const retryAfter = answer.headers.get('retry-after');
  if (!demanded) return expect(retryAfter).toBeNull();
  expect(retryAfter).toMatch(/^\d+$/);
  expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
  expect(Number(retryAfter)).toBeLessThan(ANSWERS_KEPT_SECONDS);
}
