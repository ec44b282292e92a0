import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

type Ran = { code: number | null; stdout: string; stderr: string };

describe('npm run prove', () => {
  const folder = mkdtempSync(join(tmpdir(), 'payonce-proof-'));
  const out = join(folder, 'proof');
  let ran: Ran;
  beforeAll(async () => {
    ran = await prove('--taste', '--only', 'kills,restarts,cuts', '--out', out);
  }, 240_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('kills on each path, crashes the database, cuts commits, and holds', () => {
    expect(ran.code, ran.stderr + ran.stdout).toBe(0);
    const { verdict, counts } = report();
    expect(verdict).toBe('held');
    expect(counts).toMatchObject({ cut_before: 10, cut_after: 10, 'database crash-restarts': 1 });
    for (const point of ['c3', 'c6', 'c12', 'c13'])
      expect(counts[`failpoint ${point} kill`], point).toBe(1);
  });

  it('says so in words, with the seed that repeats it', () => {
    expect(ran.stdout).toContain('HELD');
    expect(ran.stdout).toContain('again: npm run prove -- --taste');
    expect(ran.stdout).toContain('--seed 1');
  });

  it('writes down what clients sent before it was sent', () => {
    const lines = readLines('h.jsonl') as { seq: number; call: string; type: string }[];
    expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, index) => index + 1));
    const invoked = new Set<string>();
    for (const { call, type } of lines) {
      if (type === 'invoke') invoked.add(call);
      else expect(invoked.delete(call), `${call} was heard before it was sent`).toBe(true);
    }
    expect([...invoked]).toEqual([]);
  });

  it('draws what happened', () => {
    const svg = readFileSync(join(out, 'diagram.svg'), 'utf8');
    expect(svg).toMatch(/^<svg [\s\S]*POST [\s\S]*<\/svg>\n$/);
    expect(svg).toMatch(/>(send|look_up) \d+: /);
  });

  it('judges stored books again', async () => {
    expect(existsSync(join(out, 'd.jsonl'))).toBe(true);
    const again = await prove('--check', out);
    expect(again.code, again.stdout).toBe(0);
  });

  it('finds a row of the ledger that is missing', async () => {
    const broken = join(folder, 'broken');
    cpSync(out, broken, { recursive: true });
    const lines = readFileSync(join(broken, 'd.jsonl'), 'utf8').split('\n');
    const at = lines.findIndex((line) => line.includes('"table":"ledger_entries"'));
    expect(at).toBeGreaterThan(0);
    lines.splice(at, 1);
    writeFileSync(join(broken, 'd.jsonl'), lines.join('\n'));
    const again = await prove('--check', broken);
    expect(again.code).toBe(1);
    expect(again.stdout).toMatch(/^I\d+: /m);
  });

  it.each([
    { args: ['--only', 'earthquake'], says: 'earthquake' },
    { args: ['--check', '/nowhere'], says: 'nowhere' },
    { args: ['--minutes', '0'], says: '--minutes 0' },
  ])('exits 2 when it is called with $args', async ({ args, says }) => {
    const { code, stderr } = await prove(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(says);
  });

  function report(): { verdict: string; counts: Record<string, number> } {
    return JSON.parse(readFileSync(join(out, 'report.json'), 'utf8'));
  }

  function readLines(name: string): unknown[] {
    const texts = readFileSync(join(out, name), 'utf8').trimEnd().split('\n');
    return texts.map((text) => JSON.parse(text) as unknown);
  }
});

function prove(...args: string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['ops/run.mjs', 'prove', ...args], { cwd: root });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}
