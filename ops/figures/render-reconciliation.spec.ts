import { expect, test } from 'vitest';
import type { Break } from '../score/score.js';
import type { ReconciliationFigures } from './reconciliation.js';
import { renderReconciliation } from './render-reconciliation.js';

test('every report has a column of its own, and its alarms are listed behind the table', () => {
  const text = renderReconciliation([figuresOf(1_000, []), figuresOf(5_000, [ALARM])]);
  expect(text).toContain('| lines of the report | 1,000 (2 MB) | 5,000 (10 MB) |');
  expect(text).toContain('| payouts booked | 900 entries | 4,900 entries |');
  expect(text).toContain('| false alarms | 0 | 1 |');
  expect(text).toContain('| 1.0 s, 1000.0 s a million lines | 5.0 s, 1000.0 s a million lines |');
  expect(text).toContain('false alarm: fee pi_1');
});

const ALARM: Break = { kind: 'fee', reference: 'pi_1', difference: 1n };

function figuresOf(lines: number, falseAlarms: Break[]): ReconciliationFigures {
  return {
    report: { file: 'big.csv', lines, planted: [], brokenLines: 3 },
    bytes: lines * 2_000,
    postgres: '18.4',
    run: { output: '', lastWords: '', exit: 1, ms: lines, peakBytes: 250e6 },
    score: { planted: 14, found: 14, missed: [], falseAlarms, centsUnexplained: 0n },
    badLines: 3,
    paidOut: lines - 100,
  };
}
