import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CALLS_PER_LEASE, slowestRunMs } from '#payments/lease-arithmetic.js';
import { readConfig } from '#platform/config.js';

const docs = join(import.meta.dirname, '../../docs');
const HALF_AN_HOUR_MS = 1_800_000;
const PAGE = readFileSync(join(docs, 'design.md'), 'utf8');

type Link = { text: string; path: string };
const rules = PAGE.split(/^- (?=\*\*R\d+\.\*\*)/m)
  .slice(1)
  .map((text) => text.split(/\n(?! )/)[0] ?? '')
  .map((text) => ({ name: /R\d+/.exec(text)?.[0] ?? '', links: linksOf(text) }));
const promises = between('promises')
  .split('\n')
  .filter((row) => row.startsWith('| **P'))
  .map((row) => ({ name: /P\d+/.exec(row)?.[0] ?? '', row, links: linksOf(row) }));

describe('the design page', () => {
  it('numbers its rules without a gap', () => {
    expect(rules.length).toBeGreaterThan(40);
    expect(rules.map(({ name }) => name)).toEqual(rules.map((_, at) => `R${at + 1}`));
  });

  it('lists each promise once', () => {
    const names = Array.from({ length: 11 }, (_, at) => `P${at + 1}`);
    expect(promises.map(({ name }) => name)).toEqual(names);
  });

  it.each(rules)('$name names code that is there, and a test', ({ links }) => {
    expectCodeAndTest(links);
  });

  it.each(promises)('$name has code and a test, or comes later', ({ row, links }) => {
    if (links.length === 0) expect(row).toContain('comes later');
    else expectCodeAndTest(links);
  });

  it.each(promises)('$name names a spec of its own, where there is one', ({ name, links }) => {
    const number = name.slice(1).padStart(2, '0');
    const own = readdirSync(join(docs, '../test/promises'))
      .filter((file) => file.startsWith(`p${number}-`) && file.endsWith('.spec.ts'))
      .map((file) => `../test/promises/${file}`);
    const named = links.map(({ path }) => path);
    expect(own.length === 0 || own.some((path) => named.includes(path)), own.join()).toBe(true);
  });

  it('adds up the lease as the code does', () => {
    const { leaseMs, processorTimeoutMs } = readConfig(env());
    const run = slowestRunMs(processorTimeoutMs);
    const row = (words: RegExp) => Number(numberIn(between('lease'), words).replaceAll(',', ''));
    expect(row(/processor timeout × (\d)/)).toBe(processorTimeoutMs * CALLS_PER_LEASE);
    expect(row(/slowest legitimate run/)).toBe(run);
    expect(row(/the lease/)).toBe(leaseMs);
    expect(row(/processor timeout/) + row(/record step/) + row(/margin/)).toBe(run);
  });

  it('adds up what a payment weighs', () => {
    const rows = [...PAGE.matchAll(/^\| `\w+`.*? \| (\d+) \| (\d+) \| /gm)];
    const sum = (column: number) =>
      rows.reduce((total, row) => total + Number(row[column]), 0).toLocaleString('en-US');
    expect(PAGE).toContain(`| **together** | **${sum(1)}** | **${sum(2)}** |`);
  });
});

describe('a process whose lease is too short', () => {
  it('does not start, and says which settings contradict each other', () => {
    const needed = slowestRunMs(5_000);
    expect(() => readConfig(env({ LEASE_MS: String(needed) }))).toThrow(
      /LEASE_MS is \d+.*PROCESSOR_TIMEOUT_MS/,
    );
    expect(readConfig(env({ LEASE_MS: String(needed + 1) })).leaseMs).toBe(needed + 1);
  });

  it('does not start either where a processor keeps no keys and the lease is under half an hour', () => {
    const keyless = (leaseMs: number) =>
      readConfig(env({ PROCESSOR_KEY_WINDOW_MS: '0', LEASE_MS: String(leaseMs) }));
    expect(() => keyless(HALF_AN_HOUR_MS - 1)).toThrow(/^LEASE_MS.*PROCESSOR_KEY_WINDOW_MS/);
    expect(keyless(HALF_AN_HOUR_MS).leaseMs).toBe(HALF_AN_HOUR_MS);
  });
});

function env(more: Record<string, string> = {}): Record<string, string> {
  return { STRIPE_API_BASE: 'http://127.0.0.1:1', ...more };
}

/** At least one of each; all are there, and code that is named in code letters stands in its file. */
function expectCodeAndTest(links: Link[]): void {
  const isSpec = ({ path }: Link) => path.endsWith('.spec.ts');
  const code = links.filter((link) => !isSpec(link));
  expect(links.filter(isSpec), 'no spec is linked').not.toHaveLength(0);
  expect(code, 'no code is linked').not.toHaveLength(0);
  for (const { text, path } of links) {
    const file = join(docs, path);
    expect(existsSync(file), `${path} is not there`).toBe(true);
    const symbol = /^`(\w+)`$/.exec(text)?.[1];
    if (isSpec({ text, path })) continue;
    expect(symbol, `${text}: a link to code names what keeps the rule`).toBeDefined();
    expect(readFileSync(file, 'utf8'), `${path} has no ${symbol}`).toMatch(
      new RegExp(`\\b${symbol}\\b`),
    );
  }
}

function linksOf(text: string): Link[] {
  return [...text.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, words = '', path = '']) => ({
    text: words,
    path,
  }));
}

function numberIn(text: string, words: RegExp): string {
  const line = text.split('\n').find((candidate) => words.test(candidate)) ?? '';
  return /\| \**([\d,]+)\** \|$/.exec(line)?.[1] ?? '';
}

function between(name: string): string {
  const found = PAGE.split(`<!-- ${name}:start -->`)[1]?.split(`<!-- ${name}:end -->`)[0];
  if (found === undefined) throw new Error(`design.md has no ${name}:start … ${name}:end`);
  return found;
}
