import { appendFile, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MockClient, type MockAnswer } from '#testing/mock-client.js';
import { startMockProcessor, type Mock } from './server.js';

/** The file behind the mock: what is on the disk, when, and what a start makes of it. */
let folder: string;
let bookFile: string;
let mock: Mock;
let client: MockClient;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mock-book-'));
  bookFile = join(folder, 'deeper', 'book.jsonl');
  await start();
});

afterEach(async () => {
  await mock.close();
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

describe('a start', () => {
  test('finds everything as it was: objects, answers, events, movements and the clock', async () => {
    const first = await client.charge('pm_1', { key: 'k', intent: 'i' });
    await client.post('/v1/refunds', { payment_intent: first.json.id, amount: '1' }, 'k2');
    await client.charge('pm_card_chargeDeclined', { key: 'k3' });
    await client.charge('pm_test_lose_request', { key: 'k4' }).catch(() => null);
    await client.advance(3_600_000);
    const before = await everything();
    await restart();
    expect(await everything()).toEqual(before);
    const again = await client.charge('pm_1', { key: 'k', intent: 'i' });
    expect(again.text).toBe(first.text);
    const { json } = await client.get(
      '/v1/payment_intents/search?query=metadata["payonce_intent"]:"i"',
    );
    expect(json.data).toHaveLength(1);
    expect((await client.charge('pm_test_lose_request', { key: 'k4' })).status).toBe(200);
    expect((await client.book()).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
  });

  test('cuts off a torn last line, whose request never was', async () => {
    await client.charge('pm_1', { key: 'k' });
    const whole = await readFile(bookFile, 'utf8');
    await client.charge('pm_1', { key: 'torn' });
    await mock.close();
    const torn = await readFile(bookFile);
    for (const bytes of [torn.length - 1, torn.length - 200, whole.length + 1]) {
      await writeFile(bookFile, torn.subarray(0, bytes));
      await start();
      expect(await client.chargeCount()).toBe(1);
      expect(await readFile(bookFile, 'utf8')).toBe(whole);
      await mock.close();
    }
    await start();
    const { headers } = await client.charge('pm_1', { key: 'torn' });
    expect(headers.get('idempotent-replayed')).toBeNull();
    expect(await client.chargeCount()).toBe(2);
  });

  test('refuses a file that is damaged further up, or that is not a book', async () => {
    await client.charge('pm_1', { key: 'k' });
    await client.charge('pm_1', { key: 'k2' });
    await mock.close();
    const lines = (await readFile(bookFile, 'utf8')).split('\n');
    const damaged = [lines[0], 'x', ...lines.slice(2)].join('\n');
    for (const [text, reason] of [
      [damaged, /line 2 cannot be read/],
      ['{"name":"package"}\n', /not that of a book/],
      ['a precious text', /not a book/],
    ] as const) {
      await writeFile(bookFile, text);
      await expect(start()).rejects.toThrow(reason);
      expect(await readFile(bookFile, 'utf8')).toBe(text);
    }
    await writeFile(bookFile, '{"book":"mo');
    await start();
    expect(await client.book()).toEqual([]);
  });
});

describe('an answer', () => {
  test('waits for the disk, and requests that come together share a sync', async () => {
    await client.charge('pm_1', { key: 'earlier' });
    const disk = await holdDisk();
    const answered: number[] = [];
    const note = ({ status }: MockAnswer) => answered.push(status);
    const first = client.charge('pm_1', { key: 'first' }).then(note);
    await disk.reached;
    const others = Array.from({ length: 20 }, (_, n) =>
      client.charge('pm_1', { key: `other-${n}` }).then(note),
    );
    const reads = [
      client.get('/v1/payment_intents').then(note),
      client.get('/_control/book').then(note),
    ];
    await allArrived(22);
    expect(answered).toEqual([]);
    disk.release();
    await Promise.all([first, ...others, ...reads]);
    expect(answered).toEqual(Array.from({ length: 23 }, () => 200));
    expect(disk.syncs()).toBe(2);
    expect(await client.chargeCount()).toBe(22);
  });

  test('is a 500 from the moment on that the disk refuses, and nothing more is promised', async () => {
    const disk = await holdDisk();
    const charging = client.charge('pm_1', { key: 'k' });
    await disk.reached;
    disk.fail();
    expect((await charging).status).toBe(500);
    expect((await client.charge('pm_1', { key: 'k2' })).status).toBe(500);
    expect((await client.get('/_control/health')).json.status).toBe('broken');
  });

  test('is a 500 when another process has written to the file', async () => {
    await client.charge('pm_1', { key: 'k' });
    await appendFile(bookFile, '{"at":1}\n');
    expect((await client.charge('pm_1', { key: 'k2' })).status).toBe(500);
  });
});

async function start(): Promise<void> {
  mock = await startMockProcessor({ bookFile });
  client = new MockClient(mock.url);
}

async function restart(): Promise<void> {
  await mock.close();
  await start();
}

async function everything(): Promise<unknown> {
  const { now: _, syncs: __, ...state } = (await client.get('/_control/state')).json;
  const paths = ['payment_intents', 'charges', 'refunds', 'balance_transactions', 'events'];
  const lists = await Promise.all(paths.map((path) => client.get(`/v1/${path}?limit=100`)));
  return { state, book: await client.book(), lists: lists.map(({ json }) => json) };
}

/** Lets every sync of this process wait at a gate, as a slow disk would. */
async function holdDisk() {
  const handle = await open(bookFile, 'r');
  const prototype = Object.getPrototypeOf(handle) as typeof handle;
  await handle.close();
  let release = () => {};
  let fail = () => {};
  let reach = () => {};
  const gate = new Promise<void>((resolve, reject) => {
    release = resolve;
    fail = () => reject(new Error('the disk is full'));
  });
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const spy = vi.spyOn(prototype, 'datasync').mockImplementation(() => {
    reach();
    return gate;
  });
  return { reached, release, fail, syncs: () => spy.mock.calls.length };
}

/** Until the server has worked on that many requests: their objects exist in memory. */
async function allArrived(intents: number): Promise<void> {
  const health = async () => (await client.get('/_control/health')).json;
  const deadlineMs = performance.now() + 10_000;
  while ((await health()).payment_intents !== intents) {
    if (performance.now() > deadlineMs) throw new Error(`not ${intents} in 10 s`);
  }
}
