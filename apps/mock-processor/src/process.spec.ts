import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { MockClient } from '#testing/mock-client.js';
import { buildDemonstration, MockProcess } from '#testing/mock-process.js';

/** The mock as an operating-system process: how it starts, how it ends, what a kill leaves. */
let folder: string;
let bookFile: string;
const started: MockProcess[] = [];

beforeAll(buildDemonstration);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mock-process-'));
  bookFile = join(folder, 'book.jsonl');
});

afterEach(async () => {
  await Promise.all(started.splice(0).map((mock) => mock.end('SIGKILL')));
  await rm(folder, { recursive: true });
});

test('is ready in under a second, or in a few starts of bare Node on a busy machine', async () => {
  let bestMs = Infinity;
  let bareMs = Infinity;
  for (let n = 0; n < 3; n += 1) {
    const beforeMs = performance.now();
    spawnSync(process.execPath, ['-e', '0']);
    const startedMs = performance.now();
    const mock = start();
    await mock.untilListening();
    bestMs = Math.min(bestMs, performance.now() - startedMs);
    bareMs = Math.min(bareMs, startedMs - beforeMs);
    await mock.end('SIGTERM');
  }
  expect(bestMs).toBeLessThan(Math.max(1000, 12 * bareMs));
});

test('forgets nothing that it has answered when it is killed at work', async () => {
  const mock = start();
  const client = await mock.untilListening();
  await client.advance(7 * 24 * 3_600_000);
  const keys = Array.from({ length: 300 }, (_, n) => `k-${n}`);
  const told = new Map<string, string>();
  const unsent = [...keys];
  const sendUntilCut = async () => {
    for (let key = unsent.pop(); key !== undefined; key = unsent.pop()) {
      const answer = await client.charge('pm_1', { key, intent: key });
      told.set(key, answer.text);
      if (told.size === 40) mock.child.kill('SIGKILL');
    }
  };
  await Promise.allSettled(Array.from({ length: 10 }, sendUntilCut));
  await mock.ended;
  expect(told.size).toBeGreaterThanOrEqual(40);
  expect(told.size).toBeLessThan(300);

  const after = await start().untilListening();
  expect((await after.get('/_control/state')).json.advanced_ms).toBe(7 * 24 * 3_600_000);
  for (const [key, text] of told) {
    const again = await after.charge('pm_1', { key, intent: key });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.text).toBe(text);
  }
  await resendAll(after, keys);
  const charges = (await after.book()).filter((line) => line.operation === 'charge');
  expect(charges).toHaveLength(300);
  expect(new Set(charges.map((line) => line.idempotency_key)).size).toBe(300);
  expect(charges.every((line) => Date.parse(line.at) > Date.now() + 6 * 24 * 3_600_000)).toBe(true);
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s ends it with 0, whoever still waits',
  async (signal) => {
    const mock = start();
    const client = await mock.untilListening();
    const waiting = [
      client.charge('pm_test_timeout_charged', { key: 'a' }).then(String, () => 'cut'),
      client.charge('pm_test_slow_60000', { key: 'b' }).then(String, () => 'cut'),
    ];
    while ((await client.get('/_control/state')).json.running_keys !== 1);
    expect(await mock.end(signal)).toBe(0);
    expect(await Promise.all(waiting)).toEqual(['cut', 'cut']);
    const after = await start().untilListening();
    expect((await after.book()).map((line) => line.idempotency_key)).toEqual(['a', 'a']);
  },
);

test('ends in the ordinary way when the process that started it is gone', async () => {
  const mock = start({ PAYONCE_PARENT_PIPE: '1' });
  await mock.untilListening();
  mock.child.stdin?.end();
  expect(await mock.ended).toBe(0);
});

test.each([
  ['MOCK_PORT', 'abc'],
  ['MOCK_PORT', '70000'],
  ['MOCK_HOST', '203.0.113.7'],
  ['MOCK_BOOK', 'a folder'],
  ['MOCK_BOOK', 'a foreign file'],
])('%s=%s ends it with 78 and is named', async (name, value) => {
  const path = join(folder, value);
  if (value === 'a folder') await mkdir(path);
  if (value === 'a foreign file') await writeFile(path, 'a precious text\n');
  const mock = start({ [name]: name === 'MOCK_BOOK' ? path : value });
  expect(await mock.ended).toBe(78);
  expect(mock.stderr).toContain(name);
  expect(mock.stderr.trim().split('\n')).toHaveLength(1);
});

test('a port that is taken ends it with 1: a later start may find it free', async () => {
  const { url } = await start().untilListening();
  const second = start({ MOCK_PORT: new URL(url).port, MOCK_BOOK: join(folder, 'second') });
  expect(await second.ended).toBe(1);
  expect(second.stderr).toContain(`port ${new URL(url).port} is taken`);
  expect(second.stderr).toContain('MOCK_PORT');
});

function start(env: NodeJS.ProcessEnv = {}): MockProcess {
  const mock = new MockProcess({ MOCK_BOOK: bookFile, ...env });
  started.push(mock);
  return mock;
}

async function resendAll(client: MockClient, keys: string[]): Promise<void> {
  const answers = await Promise.all(keys.map((key) => client.charge('pm_1', { key, intent: key })));
  expect(answers.every(({ status }) => status === 200)).toBe(true);
}
