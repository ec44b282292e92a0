import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LEASE_MS, ProcessSystem } from '#testing/process-system.js';
import { Processes } from '#testing/processes.js';
import { disagreements, readBooks } from '#testing/three-books.js';
import { until } from '#testing/until.js';
import { eventOf, referenceOf, signatureOf } from './webhook-world.js';

let system: ProcessSystem;
const processes = new Processes();
beforeAll(async () => void (system = await ProcessSystem.start()));
afterAll(async () => {
  await processes.endAll();
  await system.close();
});

it('a worker that is killed while it applies an event leaves it to the next', async () => {
  const api = await system.api(processes);
  const key = randomUUID();
  const first = await system.pay(api, key, { payment_method: 'pm_test_timeout_charged' });
  expect(first.status).toBe(202);
  await system.owner.query(`UPDATE unresolved SET next_try_at = next_try_at + interval '10 years'`);
  const [charge] = await system.mockClient.book();
  const event = eventOf({ ...referenceOf(system.accountId, key), id: charge?.id });
  const body = JSON.stringify(event);
  const delivered = await fetch(`${api.url}/webhooks/stripe`, {
    method: 'POST',
    body,
    headers: { 'stripe-signature': signatureOf(body) },
  });
  expect(delivered.status).toBe(200);

  await system.mockClient.faults({ fault: 'slow_60000' });
  const killed = await system.worker(processes);
  await until(async () => (await attempts()).some(({ outcome }) => outcome === null));
  killed.kill('SIGKILL');
  await killed.exit;
  expect(await inbox()).toEqual({ state: 'received', tries: 0 });

  await system.mockClient.control('DELETE', 'faults');
  await system.worker(processes);
  await system.advance(LEASE_MS);
  await until(async () => (await inbox()).state === 'applied');
  expect(await inbox()).toEqual({ state: 'applied', tries: 0 });
  const books = await readBooks(system, key);
  expect(disagreements(books, [first])).toEqual([]);
});

async function inbox(): Promise<{ state: string; tries: number }> {
  const { rows } = await system.owner.query('SELECT state, tries FROM webhook_inbox');
  return rows[0];
}

async function attempts(): Promise<{ outcome: string | null }[]> {
  const { rows } = await system.owner.query('SELECT outcome FROM attempts');
  return rows;
}
