import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemRandom } from '#seams/random.js';
import { type System, startSystem } from '#testing/system.js';
import { paymentCommand } from '../../ops/start/try-it.js';

const README = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
const URL_IN_README = 'http://127.0.0.1:3000';
const KEY_IN_README = 'po_test_demoPayonceDemonstrationKey000001PqYLk';

const hasCurl = await promisify(execFile)('curl', ['--version']).then(
  () => true,
  () => false, // then a reader of the README cannot run its commands either
);

describe('the README', () => {
  it('has the test command in a block of its own, where machines read it', () => {
    expect(README).toContain('## Test\n\n```sh\nnpm ci && npm test\n```');
  });

  it('lists every command with the sentence that npm run help prints', async () => {
    const help = join(import.meta.dirname, '../../ops/help.mjs');
    const { stdout } = await promisify(execFile)(process.execPath, [help]);
    const printed = [...stdout.matchAll(/^ {2}(\w+) +(.+)$/gm)];
    expect(printed.length).toBeGreaterThan(5);
    const rows = [...between('commands').matchAll(/^\| `(\w+)` +\| (.+?) +\|$/gm)];
    const pairs = (found: RegExpExecArray[]) => found.map(([, name, sentence]) => [name, sentence]);
    expect(pairs(rows)).toEqual(pairs(printed));
  });

  it('has one place for the figures', () => {
    expect(between('figures').trim()).not.toBe('');
  });

  it('shows the command that npm start prints', () => {
    const printed = paymentCommand(URL_IN_README, KEY_IN_README, systemRandom);
    const anyIntent = (command: string) =>
      command
        .replace(/Idempotency-Key: [^']+/, 'Idempotency-Key: …')
        .replace(/"order_id":"[^"]+"/, '"order_id":"…"');
    expect(anyIntent(commandOf('first'))).toBe(anyIntent(printed));
  });
});

describe.skipIf(!hasCurl)('the commands of the README, run', () => {
  let system: System;
  const answers = new Map<string, CurlAnswer>();
  beforeAll(async () => void (system = await startSystem()));
  afterAll(() => system.close());

  it.each([
    ['first', 'first'],
    ['first', 'first again'],
    ['other-body', 'other-body'],
    ['second-key', 'second-key'],
    ['lost', 'lost'],
    ['authorize', 'authorize'],
    ['capture', 'capture'],
    ['refund', 'refund'],
    ['too-much', 'too-much'],
    ['refunds', 'refunds'],
  ])('%s answers as shown under "%s"', async (command, shown) => {
    const payment = JSON.parse(answers.get('authorize')?.body ?? '{}').id;
    const text = commandOf(command).replace(/^PAYMENT=.*$/m, `PAYMENT=${payment}`);
    const answer = await curl(system, text);
    answers.set(shown, answer);
    expectAsShown(answer, parseAnswer(blockAfter(`answer: ${shown}`, 'http')));
  });

  it('repeats the first answer byte for byte', () => {
    expect(answers.get('first again')?.body).toBe(answers.get('first')?.body);
  });

  it('charges each order once, the lost answer included', async () => {
    const lost = JSON.parse(answers.get('lost')?.body ?? '{}');
    await expect
      .poll(async () => {
        await system.sweep();
        return (await system.client.get(`/v1/payments/${lost.id}`)).json.status;
      })
      .toBe('succeeded');
    const again = await curl(system, commandOf('lost'));
    expect(again.statusLine).toBe('HTTP/1.1 201 Created');
    expect(await system.booked('charge')).toHaveLength(2);
    expect(await system.booked('capture')).toHaveLength(1);
    expect(await system.booked('refund')).toHaveLength(1);
  });
});

describe('the table of payment methods', () => {
  let system: System;
  beforeAll(async () => void (system = await startSystem({ bendTime: true })));
  afterAll(() => system.close());

  it('says what each method ends as', async () => {
    const rows = [...README.matchAll(/^\| `(pm_\w+)`[^|]*\|[^|]*\| (\d+)[^|]*\| (\d+)/gm)];
    expect(rows.length).toBeGreaterThan(9);
    const said = Object.fromEntries(rows.map(([, name, first, end]) => [name, [first, end]]));
    const methods = Object.keys(said);
    const pay = (method: string) => system.client.pay({ payment_method: method }, `key ${method}`);

    const first = await Promise.all(methods.map(pay));
    for (const { status, json } of first) if (status === 202) await system.settle(json.id);
    const end = await Promise.all(methods.map(pay));

    const seen = methods.map((method, at) => [
      method,
      [String(first[at]?.status), String(end[at]?.status)],
    ]);
    expect(Object.fromEntries(seen)).toEqual(said);
  });
});

type CurlAnswer = { statusLine: string; headers: Map<string, string>; body: string };

async function curl({ client }: System, command: string): Promise<CurlAnswer> {
  const here = command
    .replace(URL_IN_README, client.url)
    .replace(KEY_IN_README, client.apiKey)
    .replace('curl -i', 'curl -s -i');
  const { stdout } = await promisify(execFile)('sh', ['-c', here]);
  return parseAnswer(stdout);
}

function parseAnswer(text: string): CurlAnswer {
  const [head = '', ...body] = text.replaceAll('\r\n', '\n').trim().split('\n\n');
  const [statusLine = '', ...lines] = head.split('\n');
  const headers = lines.map((line) => /^([^:]+): (.*)$/.exec(line) ?? []);
  return {
    statusLine,
    headers: new Map(headers.map(([, name = '', value = '']) => [name.toLowerCase(), value])),
    body: body.join('\n\n'),
  };
}

/** Identifiers and instants differ from run to run; everything else that is shown must come. */
function expectAsShown(answer: CurlAnswer, shown: CurlAnswer): void {
  expect(answer.statusLine).toBe(shown.statusLine);
  for (const [name, value] of shown.headers) {
    expect(stable(answer.headers.get(name) ?? ''), name).toBe(stable(value));
  }
  expect(JSON.parse(stable(answer.body))).toEqual(JSON.parse(stable(shown.body)));
}

function stable(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME')
    .replaceAll(/\bpi_\w+/g, 'PI');
}

function commandOf(name: string): string {
  return blockAfter(`run: ${name}`, 'sh').trim();
}

function blockAfter(marker: string, language: string): string {
  const start = README.indexOf(`<!-- ${marker} -->\n\n\`\`\`${language}\n`);
  if (start < 0) throw new Error(`README.md has no ${language} block after <!-- ${marker} -->`);
  const [, block = ''] = README.slice(start).split('```');
  return block.slice(language.length + 1);
}

function between(name: string): string {
  const found = README.split(`<!-- ${name}:start -->`)[1]?.split(`<!-- ${name}:end -->`)[0];
  if (found === undefined) throw new Error(`README.md has no ${name}:start … ${name}:end`);
  return found;
}
