import type pg from 'pg';
import { deriveProcessorKey, hashKey } from '#idempotency/processor-key.js';
import type { BookLine, MockClient } from './mock-client.js';

/** What is known of one intent, by the processor and by our database. */
export type Books = {
  /** Movements of money at the processor under this intent. */
  charges: BookLine[];
  key: { state: string } | null;
  payment: {
    id: string;
    status: string;
    processor_id: string | null;
    amount: string;
    amount_captured: string;
  } | null;
  ledger: { entry_kind: string; amount: string }[];
  events: { sequence: number; type: string }[];
  saved: { status: number; body: Buffer }[];
  attempts: { attempt_no: number; action: string; actor: string; outcome: string | null }[];
};

type Places = { owner: pg.Client; mockClient: MockClient; accountId: string };

export async function readBooks(
  { owner, mockClient, accountId }: Places,
  idempotencyKey: string,
): Promise<Books> {
  const intent = deriveProcessorKey(accountId, 'charge', idempotencyKey);
  const lines = await mockClient.book();
  const charges = lines.filter(
    ({ operation, metadata }) => operation === 'charge' && metadata['payonce_intent'] === intent,
  );
  const mine = [accountId, hashKey(idempotencyKey)];
  const all = async (columns: string, table: string, order: string) =>
    (
      await owner.query(
        `SELECT ${columns} FROM ${table}
          WHERE account_id = $1 AND payment_id = (
                SELECT payment_id FROM idempotency_keys WHERE account_id = $1 AND key_hash = $2)
          ORDER BY ${order}`,
        mine,
      )
    ).rows;
  const [key] = await all('state', 'idempotency_keys', 'claim_id');
  const [payment] = await all(
    'payment_id AS id, status, processor_id, amount, amount_captured, settled_at',
    '(SELECT *, id AS payment_id FROM payments) AS p',
    'id',
  );
  return {
    charges,
    key: key ?? null,
    payment: payment ?? null,
    ledger: await all('entry_kind, amount', 'ledger_entries', 'entry_kind'),
    events: await all('sequence, type', 'outbox_events', 'sequence'),
    saved: (
      await owner.query(
        'SELECT status, body FROM saved_answers WHERE account_id = $1 AND key_hash = $2',
        mine,
      )
    ).rows,
    attempts: await all(
      'attempt_no, action, actor, outcome',
      '(SELECT a.*, payment_id FROM attempts a JOIN operations o ON o.account_id = a.account_id AND o.id = a.operation_id) AS a',
      'attempt_no',
    ),
  };
}

type Heard = { status: number | null; text: string; whole?: boolean };

/**
 * Where the processor's book, our database and what clients heard of one charged intent differ, in words.
 * An answer that was cut must be the beginning of the saved one.
 */
export function disagreements(books: Books, heard: readonly Heard[]): string[] {
  const { charges, payment, ledger, saved, key, events } = books;
  const found: string[] = [];
  const expect = (right: boolean, words: string) => void (right || found.push(words));
  const [charge] = charges;
  expect(charges.length === 1, `the processor moved money ${charges.length} times`);
  expect(key?.state === 'finished', `the key is ${key?.state}`);
  expect(payment?.status === 'succeeded', `the payment is ${payment?.status}`);
  expect(payment?.amount_captured === String(charge?.amount), 'payment and charge differ');
  expect(
    [charge?.id, charge?.parent].includes(payment?.processor_id ?? ''),
    `the payment names ${payment?.processor_id}, the charge is ${charge?.id} of ${charge?.parent}`,
  );
  const kinds = ledger.map((row) => row.entry_kind).join();
  expect(kinds === 'charge,processor_fee', `the ledger holds ${kinds}`);
  expect(ledger[0]?.amount === String(charge?.amount), 'ledger and charge differ');
  expect(events.length === 1, `${events.length} events were written`);
  expect(saved.length === 1 && saved[0]?.status === 201, 'there is not one saved 201');
  const bytes = saved[0]?.body.toString('utf8') ?? '';
  for (const { status, text, whole = true } of heard) {
    if (status === 201) {
      const same = whole ? text === bytes : bytes.startsWith(text);
      expect(same, `a client heard other bytes than the saved ones: ${text}`);
    } else if (status !== null) {
      expect(NOT_FINAL.has(status), `a client heard ${status}: ${text}`);
    }
  }
  return found;
}

/** Answers that say nothing final about the money. */
const NOT_FINAL = new Set([202, 409, 503]);
