import { serviceDatabaseUrl } from '#platform/config.js';
import type { Core } from '#platform/core.js';
import { LIST_DUE_DAYS } from '#reconciliation/due-days.sql.js';
import { fetchMockReport } from '#reconciliation/open-report.js';
import { AnotherRun, reconcile } from '#reconciliation/reconcile.js';
import type { SweepPlan } from './sweep.js';

const PAUSE_MS = 60_000;

/**
 * Reconciles each day once its report is due, where the processor publishes it: the mock does, of others the file is
 * given by hand. Of all replicas one does it; the others find it done. A stop breaks it off, and it is begun anew.
 */
export function reconciliationSweep({ config, deps, log }: Core): SweepPlan {
  const { stripeApiBase, settlementWindowHours: windowHours } = config;
  const stopping = new AbortController();
  return {
    name: 'reconciliation',
    pauseMs: PAUSE_MS,
    interrupt: () => stopping.abort(),
    runOnce: async () => {
      if (config.processorName !== 'mock' || stripeApiBase === null) return 'done';
      const [due] = await deps.db.run(LIST_DUE_DAYS, [deps.processor.name, windowHours]);
      if (!due) return 'done';
      const order = {
        sessionUrl: config.sessionDatabaseUrl ?? serviceDatabaseUrl(config),
        date: due.date,
        openFile: () => fetchMockReport(stripeApiBase, due.date, stopping.signal),
        windowHours,
        isDryRun: false,
        progress: () => {},
        signal: stopping.signal,
      };
      try {
        await reconcile(deps, order, async ({ imported, repaired, paidOut, open, openInAll }) => {
          const facts = { date: due.date, lines: imported.lines, bad_lines: imported.badLines };
          log.info('reconciled', { ...facts, repaired, paid_out: paidOut, open: openInAll });
          if (openInAll > 0) log.warning('reconciliation_found_breaks', { date: due.date, open });
        });
      } catch (error) {
        if (error instanceof AnotherRun || stopping.signal.aborted) return 'done';
        throw error;
      }
      return 'more';
    },
  };
}
