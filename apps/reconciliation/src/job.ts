import type { Core } from '#platform/core.js';
import { serviceDatabaseUrl } from '#platform/config.js';
import { fetchMockReport, openReportFile } from '#reconciliation/open-report.js';
import { type Reader, type Reconciled, reconcile } from '#reconciliation/reconcile.js';
import { UnreadableReport } from '#reconciliation/read-records.js';

export type JobOrder = {
  date: string | null;
  file: string | null;
  isDryRun: boolean;
  progress: (doing: string, done: number) => void;
  signal: AbortSignal;
};

/** One reconciliation, of the processor that this service is configured for. */
export class Job {
  constructor(private readonly core: Core) {}

  run<T>(
    order: JobOrder,
    tell: (reconciled: Reconciled, reader: Reader) => Promise<T>,
  ): Promise<T> {
    const { config, deps } = this.core;
    const { date, isDryRun, progress, signal } = order;
    return reconcile(
      deps,
      {
        sessionUrl: config.sessionDatabaseUrl ?? serviceDatabaseUrl(config),
        date,
        openFile: () => this.#open(order),
        windowHours: config.settlementWindowHours,
        isDryRun,
        progress,
        signal,
      },
      tell,
    );
  }

  #open({ file, date, signal }: JobOrder) {
    const { processorName, stripeApiBase } = this.core.config;
    if (file !== null) return openReportFile(file);
    if (date === null) throw new UnreadableReport('--date or --file says which report it is.');
    if (processorName !== 'mock' || stripeApiBase === null) {
      throw new UnreadableReport(
        'Only the mock publishes its reports by itself: of others, give the file with --file.',
      );
    }
    return fetchMockReport(stripeApiBase, date, signal);
  }
}
