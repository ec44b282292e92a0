import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { MockClient } from '#testing/mock-client.js';
import { buildDemonstration, MockProcess } from '#testing/mock-process.js';

/** `npm run mock` as a person runs it. */
let folder: string;
const started: MockProcess[] = [];

beforeAll(buildDemonstration);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mock-command-'));
});

afterEach(async () => {
  await Promise.all(started.splice(0).map((run) => run.end('SIGKILL')));
  await rm(folder, { recursive: true });
});

test('keeps its book from run to run, and begins anew with --fresh', async () => {
  const book = join(folder, 'book.jsonl');
  const charges: number[] = [];
  for (const more of [[], [], ['--fresh']]) {
    const run = command('--port', '0', '--book', book, ...more);
    const [, url = ''] = await run.untilSays(/listens on (\S+)\n[^]*curl [^]*Ctrl-C/);
    const client = new MockClient(url);
    await client.charge('pm_card_visa');
    charges.push(await client.chargeCount());
    expect(await run.end('SIGINT')).toBe(0);
  }
  expect(charges).toEqual([1, 2, 1]);
});

test('--fresh leaves a file alone that is no book', async () => {
  const file = join(folder, 'package.json');
  await writeFile(file, '{"name": "precious"}\n');
  const run = command('--port', '0', '--book', file, '--fresh');
  expect(await run.ended).toBe(1);
  expect(run.stderr).toContain('--fresh');
  expect(await readFile(file, 'utf8')).toBe('{"name": "precious"}\n');
});

test.each([
  [['--help'], 0, 'stdout'],
  [['--port', 'x'], 1, 'stderr'],
  [['--colour'], 1, 'stderr'],
] as const)('%j ends with %i and says why', async (args, code, stream) => {
  const run = command(...args);
  expect(await run.ended).toBe(code);
  expect(run[stream]).toMatch(/--port/);
});

function command(...args: string[]): MockProcess {
  const run = new MockProcess({}, ['ops/run.mjs', 'mock', ...args]);
  started.push(run);
  return run;
}
