import type pg from 'pg';

/**
 * Lets every change of one table after the other fail, inside the statement that makes it, and runs `expectation`
 * each time: what belongs into one commit must then have left nothing.
 */
export async function failEachChange(
  owner: pg.Client,
  tables: readonly string[],
  expectation: (table: string) => Promise<void>,
): Promise<void> {
  await owner.query(`
    CREATE OR REPLACE FUNCTION fail_here() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN RAISE EXCEPTION 'the test fails here'; END $$`);
  for (const table of tables) {
    await owner.query(
      `CREATE TRIGGER fail_here BEFORE INSERT OR UPDATE OR DELETE ON ${table}
         FOR EACH ROW EXECUTE FUNCTION fail_here()`,
    );
    try {
      await expectation(table);
    } finally {
      await owner.query(`DROP TRIGGER fail_here ON ${table}`);
    }
  }
}
