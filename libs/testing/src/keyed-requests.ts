import { randomUUID } from 'node:crypto';
import { hashKey } from '#idempotency/processor-key.js';
import type { ProcessSystem, Seen } from './process-system.js';
import type { ServiceProcess } from './processes.js';
import { disagreements, readBooks } from './three-books.js';

/** One request under a key of its own, and how to tell that it was done once, whoever finished it. */
export type KeyedRequest = {
  key: string;
  path: string;
  body: object;
  /** The status of its final answer. */
  done: number;
  /** What it moved at the processor so far. */
  moved(): Promise<number>;
  /** Where answers, database and the processor's book differ, in words. */
  differences(heard: readonly Seen[]): Promise<string[]>;
};

/** Lays the ground with a process that lives, and returns the request. */
export type Lay = (system: ProcessSystem, by: ServiceProcess) => Promise<KeyedRequest>;

/** Every kind of request that moves money, or lets it go. */
export const KEYED_REQUESTS = {
  charge: async (system) => {
    const key = randomUUID();
    return {
      key,
      path: '/v1/payments',
      body: { amount: 2500, currency: 'myr', payment_method: 'pm_123', order_id: key },
      done: 201,
      moved: async () => (await readBooks(system, key)).charges.length,
      differences: async (heard) => disagreements(await readBooks(system, key), heard),
    };
  },
  capture: step('capture', { capture: 'manual' }, { amount: 1500 }, 200),
  void: step('cancel', { capture: 'manual' }, {}, 200),
  refund: step('refunds', {}, { amount: 1000 }, 201),
} as const satisfies Record<string, Lay>;

/** What a step moves at the processor, what it books here, and how its payment stands after it. */
const EFFECTS = {
  capture: { operation: 'capture', kind: 'capture', status: 'succeeded' },
  cancel: { operation: 'void', kind: null, status: 'canceled' },
  refunds: { operation: 'refund', kind: 'refund', status: 'succeeded' },
} as const;

/** A step on a payment that was made for it alone. */
function step(route: keyof typeof EFFECTS, first: object, body: object, done: number): Lay {
  return async (system, by) => {
    const made = await system.pay(by, randomUUID(), first);
    if (made.status !== 201) throw new Error(`${made.status} ${made.text}`);
    const { id, processor } = JSON.parse(made.text);
    const key = randomUUID();
    const { operation } = EFFECTS[route];
    const moves = async () =>
      (await system.mockClient.book()).filter(
        (line) => line.operation === operation && line.parent === processor.id,
      );
    return {
      key,
      path: `/v1/payments/${id}/${route}`,
      body,
      done,
      moved: async () => (await moves()).length,
      differences: async (heard) => {
        const found = await stepDifferences(system, { key, id, route, done }, heard);
        const lines = await moves();
        if (lines.length !== 1) found.push(`the processor did it ${lines.length} times`);
        return found;
      },
    };
  };
}

async function stepDifferences(
  { owner, accountId }: ProcessSystem,
  { key, id, route, done }: { key: string; id: string; route: keyof typeof EFFECTS; done: number },
  heard: readonly Seen[],
): Promise<string[]> {
  const { kind, status } = EFFECTS[route];
  const mine = [accountId, hashKey(key)];
  const { rows } = await owner.query(
    `SELECT k.state, p.status, p.amount_reserved::int AS reserved, a.status AS answered, a.body,
            (SELECT count(*)::int FROM ledger_entries l
              WHERE l.account_id = p.account_id AND l.payment_id = p.id AND l.entry_kind = $3) AS booked,
            (SELECT count(*)::int FROM unresolved u
              WHERE u.account_id = k.account_id AND u.key_hash = k.key_hash) AS left_over
       FROM idempotency_keys k
       JOIN payments p ON p.account_id = k.account_id AND p.id = $4
       LEFT JOIN saved_answers a ON a.account_id = k.account_id AND a.key_hash = k.key_hash
      WHERE k.account_id = $1 AND k.key_hash = $2`,
    [...mine, kind, id],
  );
  const [row] = rows;
  const found: string[] = [];
  const expect = (right: boolean, words: string) => void (right || found.push(words));
  expect(rows.length === 1, `${rows.length} keys with an answer`);
  expect(row?.state === 'finished', `the key is ${row?.state}`);
  expect(row?.status === status, `the payment is ${row?.status}`);
  expect(row?.answered === done, `the saved answer is ${row?.answered}`);
  expect(row?.booked === (kind === null ? 0 : 1), `the ledger has it ${row?.booked} times`);
  expect(row?.reserved === (route === 'refunds' ? 1000 : 0), `${row?.reserved} are reserved`);
  expect(row?.left_over === 0, 'somebody must still come back to it');
  const bytes = row?.body?.toString('utf8') ?? '';
  for (const { status: said, text, whole } of heard) {
    if (said === done) {
      expect(whole ? text === bytes : bytes.startsWith(text), `other bytes than saved: ${text}`);
    } else if (said !== null) {
      expect([202, 409, 503].includes(said), `a client heard ${said}: ${text}`);
    }
  }
  return found;
}
