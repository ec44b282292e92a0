import { expect, it } from 'vitest';
import { LIST_REPORT_BREAKS } from './breaks.sql.js';
import { printHtml } from './print-html.js';
import type { Reader, Reconciled } from './reconcile.js';

const HOSTILE = `<img src=x onerror="alert('1')">&`;

it('shows what others wrote as text, and needs nothing from anywhere', async () => {
  const at = new Date('2026-02-01T00:10:00Z');
  const row = {
    id: '1',
    kind: HOSTILE,
    reference: HOSTILE,
    severity: 'info',
    amount: '2500',
    currency: 'myr',
    ours: { status: HOSTILE },
    theirs: { amount: HOSTILE, currency: HOSTILE },
    first_seen: at,
    last_seen: at,
    closed_at: null,
  };
  const rowsOf = (name: string) =>
    name === LIST_REPORT_BREAKS.name ? [row] : [{ line: 3, reason: HOSTILE }];
  const reader = { run: async ({ name }: { name: string }) => rowsOf(name) } as unknown as Reader;
  const reconciled: Reconciled = {
    processorName: HOSTILE,
    imported: {
      id: '1',
      date: '2026-01-31',
      sha256: '0'.repeat(64),
      lines: 1,
      badLines: 1,
      totals: { [HOSTILE]: { gross: HOSTILE, fee: HOSTILE, net: HOSTILE } },
      isKnown: false,
    },
    repaired: 0,
    paidOut: 0,
    open: { fee: 1 },
    openInAll: 1,
    isDryRun: false,
    startedAt: at,
  };
  const page = await printHtml(reconciled, reader);
  expect(page).not.toMatch(/<img/i);
  expect(
    page.match(/&lt;img src=x onerror=&quot;alert\(&#39;1&#39;\)&quot;&gt;&amp;/gi)?.length,
  ).toBeGreaterThan(8);
  expect(page).toContain('25.00 MYR');
  expect(page).not.toMatch(/https?:|<script|src=["']/);
});
