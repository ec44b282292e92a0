import { expect, test } from 'vitest';
import type { LedgerFigures } from './ledger.js';
import { isFastEnough, renderLedger } from './render-ledger.js';

test('every read has a row, with its snapshots and without', () => {
  const text = renderLedger(figuresOf(12, 4_000));
  expect(text).toContain('an account with 1,000,000 entries, 488 blocks');
  expect(text).toContain('| balance now | 8.0 ms, 12.0 ms | 700.0 ms, 900.0 ms |');
  expect(text).toContain('`npm run verify` | 250,000 a second |');
  expect(text).toContain('| 40 bytes an entry |');
});

test.each([
  [12, 4_000, true],
  [51, 4_000, false],
  [12, 5_001, false],
])('a read of %s ms and a check of %s ms are fast enough: %s', (p99Ms, checkMs, verdict) => {
  expect(isFastEnough(figuresOf(p99Ms, checkMs))).toBe(verdict);
});

function figuresOf(p99Ms: number, checkMs: number): LedgerFigures {
  const of = (p50: number, p99: number) => ({ count: 300, p50Ms: p50, p99Ms: p99, maxMs: p99 });
  return {
    postgres: '18.4',
    account: {
      entries: 1_000_000,
      blocks: 488,
      bytes: '40000000',
      first: new Date(0),
      last: new Date(1),
    },
    reads: [{ name: 'balance now', withSnapshots: of(8, p99Ms), without: of(700, 900) }],
    linkMs: 50_000,
    snapshotMs: 20_000,
    checkMs,
    addAnewMs: 10_000,
  };
}
