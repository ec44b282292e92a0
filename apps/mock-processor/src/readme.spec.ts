import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EVENT_KINDS } from './event-control.js';
import { systemClock } from '#seams/clock.js';
import { FAULT_KINDS, MODES } from './faults.js';
import { startMockProcessor, type Mock } from './server.js';
import { DAMAGES, NOISES } from './settlement/form.js';
import { ANOMALY_KINDS, VARIANTS } from './settlement/planted.js';
import { ORDERS } from './webhook-settings.js';

/** What the README tells people to paste does what it says. */
let readme: string;
let folder: string;
let mock: Mock;
/** The mock's clock stands still, so that its day is the one that the commands ask for. */
const nowMs = Date.now();
const today = new Date(nowMs).toISOString().slice(0, 10);

beforeAll(async () => {
  readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');
  folder = await mkdtemp(join(tmpdir(), 'mock-readme-'));
  mock = await startMockProcessor({
    bookFile: join(folder, 'book.jsonl'),
    clock: { ...systemClock, wallMs: () => nowMs },
  });
});

afterAll(async () => {
  await mock.close();
  await rm(folder, { recursive: true });
});

const hasCurl = spawnSync('curl', ['--version']).status === 0;

test.skipIf(!hasCurl)('its curl commands work, in their order', async () => {
  const commands = [...readme.matchAll(/^```sh\n(curl [^]*?)```$/gm)].map(([, text = '']) => text);
  const [
    charge = '',
    lose = '',
    book = '',
    event = '',
    settlement = '',
    faults = '',
    webhooks = '',
  ] = commands;
  expect(commands).toHaveLength(7);
  expect((await paste(charge)).output).toContain('"status":"succeeded"');
  expect((await paste(charge)).output).toContain('idempotent-replayed: true');
  expect((await paste(lose)).code).not.toBe(0);
  expect((await paste(lose)).output).toContain('"status":"succeeded"');
  const lines = (await paste(book)).output.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).operation)).toEqual([
    'charge',
    'fee',
    'charge',
    'fee',
  ]);
  const news = (await paste(event)).output;
  expect(news).toMatch(/^\{"kind":"not_ours","events":\["(evt_\w+)"\]\}.*"id":"\1"/s);
  const report = (await paste(settlement)).output;
  expect(report.match(/^txn_.*,usd,25\.00,1\.03,23\.97,charge,/gm)).toHaveLength(2);
  expect(report).toMatch(
    /\n\{"lines":2,"sha256":"[0-9a-f]{64}","totals":\{"usd":\{"gross":"50\.00"/,
  );
  const [set = '', cleared = ''] = (await paste(faults)).output.split('}');
  expect([set, cleared]).toEqual([
    expect.stringContaining('"fault":"lose_response","times":2'),
    expect.stringContaining('"fault":null'),
  ]);
  const [doubled = '', ordinary = ''] = (await paste(webhooks)).output.split('}');
  expect([doubled, ordinary]).toEqual([
    expect.stringContaining('"copies":2,"delay_ms":0,"order":"reversed"'),
    expect.stringContaining('"copies":1,"delay_ms":0,"order":"normal"'),
  ]);
});

test('it tells of every name that it can be given', () => {
  const untold = [
    ...FAULT_KINDS.map((kind) => `\`pm_test_${kind}\``),
    ...[...MODES, ...ORDERS, ...EVENT_KINDS, ...REPORT_NAMES].map((name) => `\`${name}\``),
  ].filter((name) => !readme.includes(name));
  expect(untold).toEqual([]);
});

const REPORT_NAMES = [...ANOMALY_KINDS, ...Object.values(VARIANTS).flat(), ...NOISES, ...DAMAGES];

function paste(command: string): Promise<{ code: number; output: string }> {
  const here = command
    .replaceAll('http://127.0.0.1:3001', mock.url)
    .replaceAll('$(date -u +%F)', today)
    .replaceAll('curl ', 'curl -s ');
  return new Promise((resolve) => {
    execFile('sh', ['-c', here], (error, output) => {
      resolve({ code: error ? Number(error.code) : 0, output });
    });
  });
}
