import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RECORD } from '#payments/record.sql.js';
import { type System, startSystem } from '#testing/system.js';
import { readBooks } from '#testing/three-books.js';

const DAY_MS = 86_400_000;
const GUARDS = [
  /\s+AND state = 'started'/, // of the key
  /\s+AND p\.status = 'pending'/, // of the payment
];
/** The record step as a bug might leave it: it would record whatever it is given, again. */
const UNGUARDED = GUARDS.reduce((text, guard) => text.replace(guard, ''), RECORD.text);

describe('P4: a record step without its guards', () => {
  let system: System;
  let app: pg.Client;
  beforeAll(async () => {
    system = await startSystem({ bendTime: true });
    app = new pg.Client({ connectionString: system.database.appUrl });
    await app.connect();
  });
  afterAll(async () => {
    await app?.end();
    await system?.close();
  });

  const read = (key: string) =>
    readBooks(
      { owner: system.owner, mockClient: system.mockClient, accountId: system.account.id },
      key,
    );

  it('is what the next two tests run', () => {
    for (const guard of GUARDS) expect(RECORD.text).toMatch(guard);
    for (const guard of GUARDS) expect(UNGUARDED).not.toMatch(guard);
  });

  it('is refused by ledger_entries_once alone, and nothing of it stands', async () => {
    const key = randomUUID();
    const values = await valuesOfRecord(key);
    const once = await read(key);
    expect(once.ledger).toHaveLength(2);
    await system.advance(DAY_MS); // another day's answers: their own unique key does not help
    await expect(app.query(UNGUARDED, values)).rejects.toMatchObject({
      code: '23505',
      constraint: 'ledger_entries_once',
    });
    expect(await read(key)).toEqual(once);
  });

  it('books twice where that constraint is missing', async () => {
    const key = randomUUID();
    const values = await valuesOfRecord(key);
    await system.owner.query('ALTER TABLE ledger_entries DROP CONSTRAINT ledger_entries_once');
    await system.advance(DAY_MS);
    await app.query(UNGUARDED, values);
    expect((await read(key)).ledger).toHaveLength(4);
  });

  /** Takes a payment, and returns what its record step was given. */
  async function valuesOfRecord(key: string): Promise<unknown[]> {
    const { db } = system.core.deps;
    const run = db.run.bind(db);
    let seen: unknown[] = [];
    db.run = async (statement, values, sent) => {
      if (statement.name === RECORD.name) seen = [...values];
      return run(statement, values, sent);
    };
    try {
      expect((await system.client.pay({ order_id: key }, key)).status).toBe(201);
    } finally {
      db.run = run;
    }
    expect(seen).not.toEqual([]);
    return seen;
  }
});
