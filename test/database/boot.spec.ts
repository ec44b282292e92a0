import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '#platform/config.js';
import { openCore } from '#platform/core.js';
import { openLogger } from '#platform/logging.js';
import { type System, startSystem } from '#testing/system.js';

describe('what a service says of its database at boot', () => {
  let system: System;
  beforeAll(async () => void (system = await startSystem()));
  afterAll(() => system.close());

  /** Opens one more service on the same database; returns its log. */
  async function boot(url: string, env: Record<string, string> = {}) {
    const lines: { event: string; level: string; setting?: string; detail?: string }[] = [];
    const write = (line: string) => void lines.push(JSON.parse(line));
    const config = readConfig({ APP_DATABASE_URL: url, STRIPE_API_BASE: system.mock.url, ...env });
    const core = await openCore(config, openLogger('boot', 'debug', { write }), {
      service: 'boot',
    });
    await core.close();
    return lines;
  }

  it('is critical where a crash may forget what was answered', async () => {
    // The tests' own server runs with all three off, for speed.
    const alarms = (await boot(system.database.appUrl)).filter(
      ({ event }) => event === 'database_not_durable',
    );
    expect(alarms.map(({ level, setting }) => [level, setting])).toEqual([
      ['critical', 'fsync'],
      ['critical', 'full_page_writes'],
      ['critical', 'synchronous_commit'],
    ]);
  });

  it('is silent about a setting that is on', async () => {
    const { database, owner } = system;
    await owner.query('ALTER ROLE payonce_app SET synchronous_commit = on');
    const alarms = (await boot(database.appUrl)).filter(({ setting }) => setting !== undefined);
    await owner.query('ALTER ROLE payonce_app RESET synchronous_commit');
    expect(alarms.map(({ setting }) => setting)).toEqual(['fsync', 'full_page_writes']);
  });

  it('names the promise that rests on the trigger alone where it runs as the owner', async () => {
    const lines = await boot(system.database.url);
    expect(lines.find(({ event }) => event === 'database_role_is_owner')?.detail).toContain('P4');
    const asApp = await boot(system.database.appUrl);
    expect(asApp.map(({ event }) => event)).not.toContain('database_role_is_owner');
  });

  it('refuses to disagree with the database about how long answers are kept', async () => {
    const booting = boot(system.database.appUrl, { ANSWERS_DAYS: '8' });
    await expect(booting).rejects.toThrow(/ANSWERS_DAYS is 8 here and 7 in the database/);
  });
});
