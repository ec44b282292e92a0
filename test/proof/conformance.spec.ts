import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createApiKey } from '#accounts/manage-api-keys.js';
import { Db } from '#postgres/db.js';
import { openPool } from '#postgres/pool.js';
import { systemRandom } from '#seams/random.js';
import { type System, startSystem } from '#testing/system.js';
import { main } from '../../ops/conformance.js';
import { CREDENTIALS } from '../../ops/conformance/peers/payments.mjs';
import { NaiveService } from './naive-service.js';

const root = join(import.meta.dirname, '../..');
const IN_FLIGHT_MAX = 20;

describe('the conformance kit', () => {
  const folder = mkdtempSync(join(tmpdir(), 'payonce-conformance-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  describe('on Payonce, and on a handler that looks, acts and then saves', () => {
    let system: System;
    let naive: NaiveService;
    let own: Report & { code: number | null };
    let told: Done;
    let report: Report;

    beforeAll(async () => {
      system = await startSystem({ env: { ACCOUNT_IN_FLIGHT_MAX: String(IN_FLIGHT_MAX) } });
      naive = await NaiveService.start();
      // Both mostly wait, so they wait together.
      [own, told] = await Promise.all([judgePayonce(), judgeNaive()]);
      report = JSON.parse(readFileSync(join(folder, 'out', 'report.json'), 'utf8')) as Report;
    }, 240_000);
    afterAll(() => Promise.all([system.close(), naive.close()]));

    it('passes every check on Payonce, none of them left out', () => {
      expect(own.checks.filter(({ outcome }) => outcome !== 'pass')).toEqual([]);
      expect(own.checks.length).toBeGreaterThan(60);
      expect(own.code).toBe(0);
    });

    it('is red where the handler is wrong', () => {
      expect(idsOf('fail')).toEqual(expect.arrayContaining(WRONG));
      expect(told.code).toBe(1);
    });

    it('is not red where the handler is right', () => {
      expect(idsOf('pass')).toEqual(expect.arrayContaining(RIGHT));
    });

    it('shows a documented difference as such, and what does not apply with its reason', () => {
      expect(idsOf('documented')).toEqual(['malformed.not-ascii']);
      expect(idsOf('not_applicable')).toEqual(['errors.limit']);
      expect(told.stdout).toContain('https://payments.example/docs/keys');
      expect(told.stdout).toContain('The limiter stands in another service.');
    });

    it('prints each red check with the requests that show it, and no credential', () => {
      const red = report.checks.filter(({ outcome }) => outcome === 'fail');
      const silent = red.filter(
        ({ id, requests }) => id !== 'outcome.late' && requests.length === 0,
      );
      expect(silent).toEqual([]);
      expect(told.stdout).toContain(`-H "Authorization: Bearer $OTHER_KEY"`);
      expect(told.stdout).not.toContain(CREDENTIALS.key);
    });

    it('prints commands that show the same again', async () => {
      const command = report.checks.find(({ id }) => id === 'missing.absent')?.requests[0]?.curl;
      const { code, stdout } = await run('bash', ['-c', `KEY=${CREDENTIALS.key}; ${command}`]);
      expect({ code, status: stdout.split('\r\n')[0] }).toEqual({
        code: 0,
        status: 'HTTP/1.1 201 Created',
      });
    });

    async function judgePayonce(): Promise<Report & { code: number | null }> {
      const { client } = system;
      const other = await system.newClient();
      const keys = ['--key', client.apiKey, '--other-key', other.apiKey];
      const rotated = ['--rotated-key', await secondKeyOf(system)];
      // As the kit comes, but with a limit that is filled by fewer requests.
      const built = pathToFileURL(join(root, 'dist-demo', 'ops', 'conformance', 'payonce.js')).href;
      const adapter = write(
        'own.mjs',
        `import payonce from ${JSON.stringify(built)};
         export default { ...payonce, limit: { inFlight: ${IN_FLIGHT_MAX} } };`,
      );
      const args = [client.url, ...keys, ...rotated, '--adapter', adapter, '--json'];
      const { code, stdout, stderr } = await conformance([...args, '--processes', '4']);
      if (!stdout.startsWith('{')) throw new Error(stderr);
      return { code, ...(JSON.parse(stdout) as Report) };
    }

    function judgeNaive(): Promise<Done> {
      const { key, other, rotated } = CREDENTIALS;
      const keys = ['--key', key, '--other-key', other, '--rotated-key', rotated];
      // The very example of the page, so that it stays one that works.
      const adapter = write('example.mjs', exampleOf('docs/conformance.md'));
      const args = [naive.url, ...keys, '--adapter', adapter, '--out', join(folder, 'out')];
      return conformance([...args, '--settle', '1', '--processes', '4']);
    }

    function idsOf(outcome: string): string[] {
      return report.checks.filter((check) => check.outcome === outcome).map(({ id }) => id);
    }
  });

  it.each([
    { what: 'no key', args: ['http://127.0.0.1:9'], says: '--key' },
    { what: 'a service that is not there', args: ['http://127.0.0.1:9', '--key', 'k'], says: '9' },
    { what: 'an address that is none', args: ['ftp://a', '--key', 'k'], says: 'ftp://a' },
  ])('exits 2 on $what', async ({ args, says }) => {
    const { code, stderr } = await inThisProcess(args);
    expect(code).toBe(2);
    expect(stderr).toContain(says);
  });

  it('refuses an adapter that excuses checks which do not exist, or without a reason', async () => {
    const adapter = write(
      'wrong.mjs',
      `export default {
         name: 'wrong', create: () => ({ path: '/' }), count: () => 0, sluggish: 1,
         differences: { 'replay.bites': { reason: 'why not', link: 'there' }, 'replay.mark': {} },
       };`,
    );
    const { code, stderr } = await inThisProcess([
      'http://127.0.0.1:9',
      '--key',
      'k',
      '--adapter',
      adapter,
    ]);
    expect(code).toBe(2);
    for (const word of ['sluggish', 'replay.bites', 'replay.mark']) expect(stderr).toContain(word);
  });

  function write(name: string, text: string): string {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  }
});

const WRONG = [
  'missing.absent',
  'malformed.doubled-equal',
  'malformed.doubled-different',
  'malformed.quoted',
  'conflict.number',
  'conflict.text',
  'conflict.nested',
  'conflict.route',
  'running.same',
  'running.other-body',
  'burst.equal',
  'burst.different',
  'errors.validation',
  'errors.server',
  'scope.account',
  'body.composed',
  'body.null',
  'parser.duplicate',
  'lost.running',
];
const RIGHT = [
  'malformed.longest',
  'malformed.case',
  'replay.bytes',
  'replay.mark',
  'replay.fresh-key',
  'errors.declined',
  'scope.rotated',
  'scope.no-credential',
  'body.order',
  'parser.number',
];

type Report = { checks: { id: string; outcome: string; requests: { curl: string }[] }[] };

async function secondKeyOf({ database, account }: System): Promise<string> {
  const options = { url: database.url, applicationName: 'test', connectionsMax: 1 };
  const db = new Db(openPool({ ...options, onIdleError: () => {} }));
  try {
    const wanted = { account: account.name, mode: 'test', scopes: SCOPES } as const;
    return (await createApiKey({ db, random: systemRandom }, wanted)).key;
  } finally {
    await db.close();
  }
}
const SCOPES = ['payments:write', 'payments:read'] as const;

function exampleOf(page: string): string {
  const text = readFileSync(join(root, page), 'utf8');
  const example = /<!-- adapter: start -->\s*```js\n([\s\S]*?)```/.exec(text)?.[1];
  if (example === undefined) throw new Error(`${page} has no example`);
  return example;
}

type Done = { code: number | null; stdout: string; stderr: string };

/** The command as a person runs it. */
function conformance(args: string[]): Promise<Done> {
  return run(process.execPath, ['ops/run.mjs', 'conformance', ...args]);
}

/** The same without a process of its own, for what is refused before anything is sent. */
async function inThisProcess(args: string[]): Promise<{ code: unknown; stderr: string }> {
  const said = vi.spyOn(console, 'error').mockImplementation(() => {});
  const before = process.exitCode;
  try {
    await main(args);
    return { code: process.exitCode, stderr: said.mock.calls.join('\n') };
  } finally {
    process.exitCode = before;
    said.mockRestore();
  }
}

function run(command: string, args: string[]): Promise<Done> {
  const child = spawn(command, args, { cwd: root });
  const done = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (done.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (done.stderr += chunk.toString()));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, ...done })));
}
