import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENTITIES } from '#platform/entities.js';
import { openDatabase } from '#postgres/data-source.js';
import { type TestDatabase, createTestDatabase } from '#testing/database.js';

describe('entities and migrations', () => {
  let database: TestDatabase;
  let source: DataSource;
  beforeAll(async () => {
    database = await createTestDatabase();
    source = await open(database);
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  it('agree: TypeORM would change nothing', async () => {
    expect(await wouldChange()).toEqual([]);
  });

  it('map every table, partitions aside', async () => {
    const tables = await source.query<{ name: string }[]>(`
      SELECT relname AS name FROM pg_class
       WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
         AND relname <> 'migrations'
       ORDER BY relname`);
    const mapped = source.entityMetadatas.map(({ tableName }) => tableName).sort();
    expect(mapped).toEqual(tables.map(({ name }) => name));
  });

  it.each([
    ['payments', 'DROP CONSTRAINT payments_captured_within_amount'],
    ['payments', 'ALTER COLUMN description TYPE varchar(1000)'],
    ['payments', 'ALTER COLUMN order_id SET NOT NULL'],
    ['operations', 'ADD COLUMN extra text'],
    ['operations', 'DROP CONSTRAINT operations_payment'],
    ['ledger_entries', 'DROP CONSTRAINT ledger_entries_once'],
    ['ledger_entries', 'ALTER COLUMN recorded_at DROP DEFAULT'],
    ['accounts', 'RENAME CONSTRAINT accounts_name_mode TO other'],
  ])('%s %s would be noticed', async (table, change) => {
    expect(await changedBy(`ALTER TABLE ${table} ${change}`)).not.toEqual([]);
  });

  it('an index that is gone would be noticed', async () => {
    expect(await changedBy('DROP INDEX payments_by_order')).not.toEqual([]);
  });

  async function wouldChange(): Promise<string[]> {
    const { upQueries } = await source.driver.createSchemaBuilder().log();
    return upQueries.map(({ query }) => query);
  }

  /** On a database of its own, since the schema builder opens a connection of its own. */
  async function changedBy(change: string): Promise<string[]> {
    const scratch = await createTestDatabase();
    const other = await open(scratch);
    try {
      await other.query(change);
      const { upQueries } = await other.driver.createSchemaBuilder().log();
      return upQueries.map(({ query }) => query);
    } finally {
      await other.destroy();
      await scratch.drop();
    }
  }
});

async function open({ url }: TestDatabase): Promise<DataSource> {
  const options = { url, applicationName: 'drift', connectionsMax: 2, onIdleError: () => {} };
  return (await openDatabase({ ...options, entities: ENTITIES })).source;
}
