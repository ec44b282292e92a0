import type { Books, Row } from './books.js';

/** The part of `pg`'s client that is needed: whoever has a connection lends it. */
export type Reader = {
  query(text: string): Promise<{ rows: { name: string; row: Row }[] }>;
};

/** Tables that are about money, or about what somebody has been told of it. */
const TABLES =
  'accounts payments order_slots operations attempts idempotency_keys saved_answers unresolved refunds payment_steps authorizations disputes breaks ledger_entries outbox_events webhook_inbox audit_log'.split(
    ' ',
  );

/** Every row of them, as of one instant. The connection must be allowed to read them all. */
export async function dumpDatabase(client: Reader): Promise<Books['database']> {
  const parts = TABLES.map(
    (name) => `SELECT '${name}' AS name, to_jsonb(t) AS row FROM ${name} AS t`,
  );
  const { rows } = await client.query(parts.join(' UNION ALL '));
  const database: Books['database'] = Object.fromEntries(TABLES.map((name) => [name, []]));
  for (const { name, row } of rows) database[name]!.push(row);
  return database;
}
