import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogOf } from '#testing/catalog.js';
import { type TestDatabase, createTestDatabase } from '#testing/database.js';
import { Sessions } from '#testing/sessions.js';

const SNAPSHOT = join(import.meta.dirname, '../../migrations/catalog.snapshot.txt');

describe('the catalog', () => {
  const sessions = new Sessions();
  let database: TestDatabase;
  beforeAll(async () => void (database = await createTestDatabase()));
  afterAll(async () => {
    await sessions.close();
    await database.drop();
  });

  it('is that of the snapshot: `npm test -- test/database/catalog.spec.ts -u` writes it anew', async () => {
    const owner = await sessions.open(database.url);
    await expect(await catalogOf(owner)).toMatchFileSnapshot(SNAPSHOT);
  });

  it.each([
    [
      'a check with another meaning',
      'ALTER TABLE payments DROP CONSTRAINT payments_amount, ADD CONSTRAINT payments_amount CHECK (amount > 0)',
    ],
    [
      'a trigger that sleeps',
      'ALTER TABLE ledger_entries DISABLE TRIGGER ledger_entries_no_change',
    ],
    [
      'a trigger that is no longer ENABLE ALWAYS',
      'ALTER TABLE ledger_entries ENABLE TRIGGER ledger_entries_no_change',
    ],
    [
      'a function with another body',
      `CREATE OR REPLACE FUNCTION ledger_refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'`,
    ],
    ['a right too many', 'GRANT DELETE ON ledger_entries TO payonce_app'],
    ['another owner', 'ALTER TABLE saved_answers OWNER TO CURRENT_USER'],
    ['another fill factor', 'ALTER TABLE idempotency_keys SET (fillfactor = 100)'],
    ['an index too many', 'CREATE INDEX extra ON idempotency_keys (state)'],
  ])('shows %s', async (_what, change) => {
    const owner = await sessions.open(database.url);
    const before = await catalogOf(owner);
    await owner.query('BEGIN');
    await owner.query(change);
    const after = await catalogOf(owner);
    await owner.query('ROLLBACK');
    expect(after).not.toBe(before);
    expect(await catalogOf(owner)).toBe(before);
  });
});
