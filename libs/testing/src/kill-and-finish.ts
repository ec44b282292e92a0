import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { hashKey } from '#idempotency/processor-key.js';
import { SESSION_LIMITS } from '#postgres/pool.js';
import type { FailpointName } from '#seams/failpoints.js';
import type { KeyedRequest, Lay } from './keyed-requests.js';
import { LEASE_MS, type ProcessSystem, type Seen } from './process-system.js';
import type { Processes, ServiceProcess } from './processes.js';

/** The sweep's mark trails by a lease, the longest statement and a margin. */
export const PAST_SWEEP_MS = LEASE_MS + SESSION_LIMITS.statementMs + 2_000;

/** How a retry finds the key after a crash: unseen, held by the dead process, or finished. */
export type Left = 'unseen' | 'held' | 'finished';

/** A failpoint, which passage of it is the first of the requests, and what a process that dies there leaves. */
export type Crash = { name: FailpointName; hit: number; left: Left[]; moved: number };

export type Cast = {
  system: ProcessSystem;
  /** Ends with each test. */
  victims: Processes;
  /** Another replica of the API, to which clients turn. */
  next: ServiceProcess;
  worker: ServiceProcess;
};

const LONGER_THAN_ANY_TEST_MS = 600_000;

/**
 * A process dies with two requests of each kind at one failpoint. One of the two is finished by its caller's retry
 * alone, the other by the worker alone; both end as if nothing had happened, and are done once.
 */
export async function expectFinishedByOthers(
  cast: Cast,
  crash: Crash,
  lays: readonly Lay[],
): Promise<void> {
  const { system, next, worker } = cast;
  worker.kill('SIGSTOP');
  const lay = () => Promise.all(lays.map((one) => one(system, next)));
  const [retried, recovered] = [await lay(), await lay()];
  const cut = await die(cast, crash, [...retried, ...recovered]);
  for (const request of [...retried, ...recovered])
    await expect.poll(() => request.moved(), { message: request.path }).toBe(crash.moved);
  await finishByRetry(cast, crash, retried, cut);
  worker.kill('SIGCONT');
  await finishByWorker(cast, crash, recovered, cut);
}

/** All but the last wait at the failpoint; the last one there brings the kill. */
async function die({ system, victims }: Cast, { name, hit }: Crash, requests: KeyedRequest[]) {
  const waiting = requests
    .slice(1)
    .map((_, at) => `${name}:${hit + at}:delay=${LONGER_THAN_ANY_TEST_MS}`);
  const last = hit + requests.length - 1;
  const victim = await system.api(victims, [...waiting, `${name}:${last}:kill`].join(','));
  if (hit > 1) expect((await system.pay(victim, randomUUID())).status).toBe(201);
  const heard = await Promise.all(requests.map((request) => system.post(victim, request)));
  expect(await victim.exit).toEqual({ code: null, signal: 'SIGKILL' });
  for (const { whole } of heard) expect(whole).toBe(false);
  return new Map(requests.map((request, at) => [request, heard[at]!]));
}

type Cut = Map<KeyedRequest, Seen>;

async function finishByRetry(
  { system, next }: Cast,
  { left }: Crash,
  requests: KeyedRequest[],
  cut: Cut,
) {
  const again = (request: KeyedRequest) => system.post(next, request);
  const first = await Promise.all(requests.map(again));
  for (const answer of first) expect(left, answer.text).toContain(leftBy(answer));
  await system.advance(LEASE_MS);
  for (const [at, request] of requests.entries()) {
    const last = await again(request);
    expect(last.status, last.text).toBe(request.done);
    const heard = [cut.get(request)!, first[at]!, last];
    expect(await request.differences(heard), request.path).toEqual([]);
  }
}

async function finishByWorker(
  { system, next }: Cast,
  { left }: Crash,
  requests: KeyedRequest[],
  cut: Cut,
) {
  const found = await Promise.all(requests.map(({ key }) => stateOf(system, key)));
  await system.advance(PAST_SWEEP_MS);
  for (const [at, request] of requests.entries()) {
    const isSeen = found[at] !== null;
    expect(isSeen || left.includes('unseen'), request.path).toBe(true);
    const state = () => stateOf(system, request.key);
    const message = `${request.path} by the worker`;
    if (isSeen) await expect.poll(state, { timeout: 30_000, message }).toBe('finished');
    const answer = await system.post(next, request);
    expect(answer.status, answer.text).toBe(request.done);
    expect(answer.headers['idempotent-replayed']).toBe(isSeen ? 'true' : undefined);
    expect(await request.differences([cut.get(request)!, answer]), request.path).toEqual([]);
  }
}

async function stateOf({ owner, accountId }: ProcessSystem, key: string): Promise<string | null> {
  const { rows } = await owner.query(
    'SELECT state FROM idempotency_keys WHERE account_id = $1 AND key_hash = $2',
    [accountId, hashKey(key)],
  );
  return rows[0]?.state ?? null;
}

function leftBy(retried: Seen): Left {
  if (retried.status === 409) return 'held';
  return retried.headers['idempotent-replayed'] === 'true' ? 'finished' : 'unseen';
}
