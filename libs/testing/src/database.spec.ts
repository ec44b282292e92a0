import { Client } from 'pg';
import { expect, it } from 'vitest';
import { createTestDatabase } from './database.js';

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

it('gives every caller a migrated database of its own, also when several ask at once', async () => {
  const [one, two] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  try {
    await query(one.url, 'CREATE TABLE only_here ()');
    const found = `SELECT to_regclass('only_here')::text AS only_here,
      to_regclass('payments')::text AS payments, current_user::text AS role`;
    expect(await query(one.appUrl, found)).toEqual([
      { only_here: 'only_here', payments: 'payments', role: 'payonce_app' },
    ]);
    expect(await query(two.maintenanceUrl, found)).toEqual([
      { only_here: null, payments: 'payments', role: 'payonce_maintenance' },
    ]);
  } finally {
    await Promise.all([one.drop(), two.drop()]);
  }
  await expect(query(one.url, 'SELECT 1')).rejects.toThrow(/does not exist/);
});
