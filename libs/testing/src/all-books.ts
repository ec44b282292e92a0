import type pg from 'pg';
import { deriveProcessorKey, hashKey } from '#idempotency/processor-key.js';
import type { MockClient } from './mock-client.js';
import { type Books, disagreements } from './three-books.js';

type Places = { owner: pg.Client; mockClient: MockClient; accountId: string };
export type Heard = { status: number | null; text: string; whole?: boolean };

/**
 * Where the books of many intents differ from each other, from what clients heard, and from what nobody asked
 * for, in words. Each table and the processor's book are read once, however many intents there are.
 */
export async function differences(
  places: Places,
  intents: ReadonlyMap<string, readonly Heard[]>,
): Promise<string[]> {
  const { books, unexplained, ledgerTotal, bookTotal } = await readAllBooks(places, intents);
  const found = unexplained.map(({ id }) => `nobody asked for the charge ${id}`);
  if (ledgerTotal !== bookTotal) found.push(`ledger ${ledgerTotal}, processor ${bookTotal}`);
  for (const [key, heard] of intents) {
    const its = books.get(key)!;
    const failed = its.payment?.status === 'failed';
    const words = failed ? differencesOfFailed(its, heard) : disagreements(its, heard);
    found.push(...words.map((said) => `${key}: ${said}`));
  }
  return found;
}

/** The same as `disagreements`, of an intent that was declined, or proved not charged. */
function differencesOfFailed(
  { charges, key, ledger, saved, events }: Books,
  heard: readonly Heard[],
) {
  const found: string[] = [];
  const expect = (right: boolean, words: string) => void (right || found.push(words));
  expect(charges.length === 0, `failed, and money moved ${charges.length} times`);
  expect(key?.state === 'finished', `the key is ${key?.state}`);
  expect(ledger.length === 0, 'failed, and in the ledger');
  expect(events.length === 1, `${events.length} events were written`);
  expect(saved.length === 1 && saved[0]?.status === 402, 'there is not one saved 402');
  const bytes = saved[0]?.body.toString('utf8') ?? '';
  for (const { status, text, whole = true } of heard) {
    if (status === 402) {
      expect(whole ? text === bytes : bytes.startsWith(text), `other bytes than saved: ${text}`);
    } else if (status !== null) {
      expect([202, 409, 503].includes(status), `a client heard ${status}: ${text}`);
    }
  }
  return found;
}

async function readAllBooks(
  { owner, mockClient, accountId }: Places,
  intents: ReadonlyMap<string, unknown>,
) {
  const rows = async <Row extends object>(text: string) =>
    (await owner.query<Row>(text, [accountId])).rows;
  const charges = (await mockClient.book()).filter(({ operation }) => operation === 'charge');
  const byIntent = groupBy(charges, ({ metadata }) => metadata['payonce_intent'] ?? '');
  const keys = groupBy(await rows<KeyRow>(KEYS), ({ hash }) => hash);
  const ledger = await rows<Of & { entry_kind: string; amount: string }>(LEDGER);
  const ledgerOf = groupBy(ledger, ({ payment_id }) => payment_id);
  const events = groupBy(await rows<Of & Books['events'][0]>(EVENTS), (row) => row.payment_id);
  const saved = groupBy(await rows<SavedRow>(SAVED), ({ hash }) => hash);
  const books = new Map<string, Books>();
  for (const key of intents.keys()) {
    const hash = hashKey(key).toString('hex');
    const [row] = keys.get(hash) ?? [];
    const intent = deriveProcessorKey(accountId, 'charge', key);
    books.set(key, {
      charges: byIntent.get(intent) ?? [],
      key: row ? { state: row.state } : null,
      payment: row ?? null,
      ledger: ledgerOf.get(row?.id ?? '') ?? [],
      events: events.get(row?.id ?? '') ?? [],
      saved: saved.get(hash) ?? [],
      attempts: [],
    });
  }
  const explained = new Set([...books.values()].flatMap((one) => one.charges));
  return {
    books,
    unexplained: charges.filter((line) => !explained.has(line)),
    ledgerTotal: sum(ledger.filter((row) => row.entry_kind === 'charge')),
    bookTotal: sum(charges),
  };
}

function groupBy<Row>(rows: readonly Row[], of: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(of(row));
    if (group) group.push(row);
    else groups.set(of(row), [row]);
  }
  return groups;
}

function sum(rows: readonly { amount: string | number }[]): bigint {
  return rows.reduce((total, { amount }) => total + BigInt(amount), 0n);
}

type Of = { payment_id: string };
type KeyRow = { hash: string; state: string } & NonNullable<Books['payment']>;
type SavedRow = { hash: string; status: number; body: Buffer };

const KEYS = `SELECT encode(key_hash, 'hex') AS hash, k.state, p.id, p.status, p.processor_id, p.amount,
       p.amount_captured
  FROM idempotency_keys k JOIN payments p ON p.account_id = k.account_id AND p.id = k.payment_id
 WHERE k.account_id = $1`;
const LEDGER = `SELECT payment_id, entry_kind, amount FROM ledger_entries WHERE account_id = $1
 ORDER BY entry_kind`;
const EVENTS = 'SELECT payment_id, sequence, type FROM outbox_events WHERE account_id = $1';
const SAVED = `SELECT encode(key_hash, 'hex') AS hash, status, body FROM saved_answers
 WHERE account_id = $1`;
