import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { IS_LONG } from '#testing/is-long.js';
import { KEYED_REQUESTS } from '#testing/keyed-requests.js';
import { PAST_SWEEP_MS } from '#testing/kill-and-finish.js';
import { lifeDisagreements } from '#testing/life-books.js';
import { LEASE_MS, ProcessSystem } from '#testing/process-system.js';
import { Processes, type ServiceProcess } from '#testing/processes.js';
import { until } from '#testing/until.js';
import { signatureOf } from '../webhooks/webhook-world.js';

/** One kill on each path; `npm test -- --long` goes through all of them. */
const some = <Point>(points: Point[], short: Point[]) => (IS_LONG ? points : short);

const KILLED = { code: null, signal: 'SIGKILL' };

describe('a process that is killed', () => {
  const victims = new Processes();
  let system: ProcessSystem;
  let next: ServiceProcess;
  /** Stands still until the victim has died. */
  let worker: ServiceProcess;
  beforeAll(async () => {
    system = await ProcessSystem.start();
    next = await system.api(system.lasting);
    worker = await system.worker(system.lasting);
    worker.kill('SIGSTOP');
  });
  afterEach(async () => {
    worker.kill('SIGSTOP');
    await victims.endAll();
  });
  afterAll(() => system?.close());

  it.each([
    { point: 'w1', deliveries: 1 },
    { point: 'w2', deliveries: 2 },
  ])(
    'at $point, while it takes an event in, has it delivered again, and it is applied once',
    async ({ point, deliveries }) => {
      const { paymentId, event } = await disputed();
      const victim = await system.api(victims, `${point}:1:kill`);
      await expect(deliver(victim, event)).rejects.toThrow('fetch failed');
      expect(await victim.exit).toEqual(KILLED);
      expect((await deliver(next, event)).status).toBe(200);
      expect(await inboxOf(event)).toEqual({ state: 'received', tries: 0, deliveries });
      worker.kill('SIGCONT');
      await expectAppliedOnce(paymentId, event);
    },
  );

  it.each(some(['w3', 'w4', 'w5'], ['w4']))(
    'at %s, while it applies an event, leaves it to the next worker',
    async (point) => {
      const { paymentId, event } = await disputed();
      expect((await deliver(next, event)).status).toBe(200);
      const victim = await system.worker(victims, `${point}:1:kill`);
      expect(await victim.exit).toEqual(KILLED);
      expect((await inboxOf(event)).state).toBe('received');
      worker.kill('SIGCONT');
      await system.advance(LEASE_MS);
      await expectAppliedOnce(paymentId, event);
    },
  );

  it.each(some(['x1', 'x2', 'c5', 'c6', 'c7', 'c12', 'c13'], ['x2', 'c6']))(
    'at %s, while it recovers, leaves every kind of operation to the next worker',
    async (point) => {
      const requests = [];
      for (const lay of Object.values(KEYED_REQUESTS)) requests.push(await lay(system, next));
      await system.mockClient.faults({ fault: 'lose_response', times: requests.length });
      const heard = [];
      for (const request of requests) heard.push(await system.post(next, request));
      expect(heard.map(({ status }) => status)).toEqual(requests.map(() => 202));

      await system.advance(PAST_SWEEP_MS);
      const victim = await system.worker(victims, `${point}:1:kill`);
      expect(await victim.exit).toEqual(KILLED);
      worker.kill('SIGCONT');
      await system.advance(PAST_SWEEP_MS);
      for (const [at, request] of requests.entries()) {
        const again = () => system.post(next, request);
        await until(async () => (await again()).status === request.done);
        expect(await request.differences([heard[at]!, await again()]), request.path).toEqual([]);
      }
    },
  );

  /** A payment, and the event that tells of its dispute. */
  async function disputed(): Promise<{ paymentId: string; event: string }> {
    const paid = await system.pay(next, randomUUID());
    const { id: paymentId, processor } = JSON.parse(paid.text);
    await system.mockClient.control('POST', 'events', {
      kind: 'dispute_opened',
      payment_intent: processor.id,
      amount: 1000,
    });
    const { json } = await system.mockClient.get('/v1/events');
    const made = json.data.find(
      (event: any) =>
        event.type === 'charge.dispute.created' &&
        event.data.object.payment_intent === processor.id,
    );
    return { paymentId, event: JSON.stringify(made) };
  }

  function deliver(to: ServiceProcess, body: string): Promise<Response> {
    const headers = { 'stripe-signature': signatureOf(body) };
    return fetch(`${to.url}/webhooks/stripe`, { method: 'POST', body, headers });
  }

  async function expectAppliedOnce(paymentId: string, event: string) {
    await until(async () => (await inboxOf(event)).state === 'applied');
    expect(await inboxOf(event)).toMatchObject({ state: 'applied', tries: 0 });
    const { rows } = await system.owner.query(
      `SELECT (SELECT count(*)::int FROM disputes WHERE payment_id = $1) AS disputes,
              (SELECT count(*)::int FROM ledger_entries
                WHERE payment_id = $1 AND entry_kind = 'dispute') AS booked`,
      [paymentId],
    );
    expect(rows).toEqual([{ disputes: 1, booked: 1 }]);
    expect(await lifeDisagreements(system, paymentId)).toEqual([]);
  }

  async function inboxOf(event: string): Promise<Inboxed> {
    const { rows } = await system.owner.query<Inboxed>(
      'SELECT state, tries, deliveries FROM webhook_inbox WHERE event_id = $1',
      [JSON.parse(event).id],
    );
    return rows[0]!;
  }
});

type Inboxed = { state: string; tries: number; deliveries: number };
