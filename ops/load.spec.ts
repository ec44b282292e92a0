import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

type Seen = { key: string; orderId: string };

/** A server that charges and replays as the API does, or misbehaves as a test wants it to. */
let server: Server;
let seen: Seen[] = [];
let behave: { status: number; replayed: boolean; delayMs: number };

beforeAll(async () => {
  server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const key = String(request.headers['idempotency-key']);
      const again = seen.some((one) => one.key === key);
      seen.push({
        key,
        orderId: String((JSON.parse(body || '{}') as { order_id?: string }).order_id),
      });
      const headers = again && behave.replayed ? { 'idempotent-replayed': 'true' } : {};
      setTimeout(() => {
        response.writeHead(behave.status, { 'content-type': 'application/json', ...headers });
        response.end(JSON.stringify({ id: key, status: 'succeeded' }));
      }, behave.delayMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  seen = [];
  behave = { status: 201, replayed: true, delayMs: 0 };
});

describe('the payments load test', () => {
  const script = 'load-tests/payments.ts';

  it('says what is missing when it has no key', async () => {
    const { code, output } = await load([script, '--env', 'API_KEY=']);
    expect(code).toBe(107);
    expect(output).toContain('run npm start beside this');
    expect(seen).toEqual([]);
  });

  it('keeps its rate, pays each intent once and replays a fifth', async () => {
    const { code, output } = await load([
      script,
      '--rate',
      '40',
      '--duration',
      '2s',
      '--env',
      'WARM_UP=1s',
      // The rest of the suite may be running beside this: its pace is asked about here, not its speed.
      '--env',
      'P99_MS=30000',
      '--env',
      'VUS=200',
    ]);
    expect(output).toContain('✓ checks{scenario:steady}: rate==1');
    expect(code).toBe(0);
    const keys = new Set(seen.map(({ key }) => key));
    expect(keys.size).toBe(3 * 40);
    expect(new Set(seen.map(({ orderId }) => orderId)).size).toBe(keys.size);
    expect(seen.length).toBeGreaterThan(keys.size);
  });

  it.each([
    { what: 'an answer that is no 201', change: { status: 202 }, red: '✗ checks{scenario:steady}' },
    {
      what: 'a failure of the server',
      change: { status: 503 },
      red: '✗ http_req_failed{scenario:steady}',
    },
    {
      what: 'a repeat that is not replayed',
      change: { replayed: false },
      red: '✗ checks{scenario:steady}',
    },
    {
      what: 'slow answers',
      change: { delayMs: 1_100 },
      red: '✗ http_req_duration{scenario:steady,name:pay}',
    },
  ])('ends with 99 on $what', async ({ change, red }) => {
    behave = { ...behave, ...change };
    const { code, output } = await load([
      script,
      '--rate',
      '10',
      '--duration',
      '1s',
      '--env',
      'WARM_UP=100ms',
    ]);
    expect(output).toContain(red);
    expect(code).toBe(99);
  });

  it('counts what it could not begin in time as dropped', async () => {
    behave.delayMs = 1_500;
    const { output } = await load([
      script,
      '--rate',
      '100',
      '--duration',
      '1s',
      '--env',
      'WARM_UP=1ms',
      '--env',
      'VUS=5',
    ]);
    expect(output).toContain('✗ dropped_iterations{scenario:steady}: count==0');
  });
});

describe('the runner', () => {
  it('gives each virtual user its own module variables, across imports and awaits', async () => {
    const { code, output } = await script({
      'counter.ts': 'let count = 0;\nexport const next = (): number => (count += 1);',
      'a.ts': `
        import { check } from 'k6';
        import exec from 'k6/execution';
        import http from 'k6/http';
        import { next } from './counter.ts';
        export const options = { scenarios: { s: { executor: 'per-vu-iterations', vus: 4, iterations: 3 } },
          thresholds: { checks: ['rate==1'], iterations: ['count==12'], 'checks{scenario:s}': ['rate==1'] } };
        export default async function () {
          const before = exec.vu.iterationInInstance;
          await http.asyncRequest('GET', __ENV.BASE_URL!);
          check(next(), { own: (n) => n === before + 1 && exec.vu.iterationInInstance === before && exec.vu.idInTest === __VU });
        }`,
    });
    expect(output).toContain('✓ checks: rate==1');
    expect(output).toContain('✓ iterations: count==12');
    expect(code).toBe(0);
  });

  it('ramps, measures trends, and judges them by percentile', async () => {
    const { code, output } = await script({
      'a.ts': `
        import { Trend } from 'k6/metrics';
        const sizes = new Trend('sizes');
        let n = 0;
        export const options = {
          scenarios: { up: { executor: 'ramping-arrival-rate', startRate: 0, timeUnit: '1s', preAllocatedVUs: 1, stages: [{ duration: '1s', target: 100 }] } },
          thresholds: { sizes: ['p(50)>10', 'p(50)<26', 'max<51', 'avg<26'], iterations: ['count>25', 'count<51'] } };
        export default function () { sizes.add((n += 1)); }`,
    });
    // A ramp to 100 a second gives 50 in its second; a busy machine drops some, and says so.
    expect(output).toContain('✓ iterations: count<51');
    expect(output).toContain('✓ iterations: count>25');
    expect(output).toContain('✓ sizes: p(50)>10');
    expect(code).toBe(0);
  });

  it.each([
    { what: 'a module that it does not have', text: "import 'k6/ws';", says: 'k6/ws' },
    {
      what: 'a threshold that is a typo',
      text: "export const options = { thresholds: { a: ['p99<5'] } };",
      says: 'p99<5',
    },
    {
      what: 'a setup that throws',
      text: "export const options = {}; export function setup() { throw new Error('no key'); }",
      says: 'no key',
    },
  ])('ends with 107 on $what', async ({ text, says }) => {
    const { code, output } = await script({ 'a.ts': text });
    expect(code).toBe(107);
    expect(output).toContain(says);
  });

  it('says that blocking calls do not exist, and goes on', async () => {
    const { code, output } = await script({
      'a.ts': `import { sleep } from 'k6';
        export const options = { scenarios: { s: { executor: 'shared-iterations', iterations: 2 } } };
        export default function () { sleep(1); }`,
    });
    expect(output).toContain('sleep() does not exist in this runner');
    expect(output).toContain('2 iterations threw');
    expect(code).toBe(0);
  });

  async function script(files: Record<string, string>) {
    const folder = mkdtempSync(join(tmpdir(), 'payonce-k6-'));
    try {
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
      return await load([join(folder, 'a.ts')]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
});

/** The command as a user runs it, pointed at the server above. */
function load(args: string[]): Promise<{ code: number | null; output: string }> {
  const { port } = server.address() as AddressInfo;
  const env = { ...process.env, BASE_URL: `http://127.0.0.1:${port}`, API_KEY: 'po_test_x' };
  const child = spawn(process.execPath, ['ops/run.mjs', 'load', ...args], { cwd: root, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
