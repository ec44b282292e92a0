import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReportFile } from '#reconciliation/import-report.js';
import { fetchMockReport, openReportFile } from '#reconciliation/open-report.js';
import { printJson } from '#reconciliation/print-json.js';
import { reconcile } from '#reconciliation/reconcile.js';
import { type System, startSystem } from '#testing/system.js';

export const HOUR_MS = 3_600_000;

export function dayAfter(date: string): string {
  return new Date(Date.parse(date) + 24 * HOUR_MS).toISOString().slice(0, 10);
}

export type Result = {
  lines: number;
  file_sha256: string;
  bad_lines: { line: number; reason: string }[];
  repaired: number;
  paid_out: number;
  breaks: {
    kind: string;
    reference: string;
    severity: string;
    ours: Record<string, unknown> | null;
    theirs: Record<string, unknown> | null;
    closed_at: string | null;
  }[];
  totals: object;
};

type Order = { date?: string; file?: string; isDryRun?: boolean; signal?: AbortSignal };

/** The system on an evening of tomorrow, so that no midnight passes while a test runs, and its reconciliation. */
export class ReportWorld {
  readonly folder = mkdtempSync(join(tmpdir(), 'payonce-report-'));

  private constructor(
    readonly system: System,
    /** The day that it is at the beginning. */
    readonly date: string,
  ) {}

  static async open(options: { webhooks?: boolean; hour?: string } = {}): Promise<ReportWorld> {
    const system = await startSystem({ bendTime: true, webhooks: options.webhooks ?? false });
    const tomorrow = new Date(Date.now() + 24 * HOUR_MS).toISOString().slice(0, 10);
    await system.advance(Date.parse(`${tomorrow}T${options.hour ?? '20:00:00'}Z`) - Date.now());
    return new ReportWorld(system, tomorrow);
  }

  async close(): Promise<void> {
    await this.system.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async reconcile(order: Order = {}): Promise<Result> {
    const { core, database } = this.system;
    const { file, isDryRun = false, signal } = order;
    const date = file === undefined ? (order.date ?? this.date) : (order.date ?? null);
    const text = await reconcile(
      core.deps,
      {
        sessionUrl: database.appUrl,
        date,
        openFile: () => this.#open(file, date),
        windowHours: 0,
        isDryRun,
        progress: () => {},
        ...(signal && { signal }),
      },
      async (reconciled, reader) => {
        const pieces = [];
        for await (const piece of printJson(reconciled, reader)) pieces.push(piece);
        return pieces.join('');
      },
    );
    return JSON.parse(text) as Result;
  }

  /** The report of the day as the mock prints it. */
  async report(date = this.date): Promise<string> {
    return (await this.system.mockClient.get(`/_control/settlement?date=${date}`)).text;
  }

  file(name: string, text: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    return path;
  }

  #open(file: string | undefined, date: string | null): Promise<ReportFile> {
    if (file !== undefined) return openReportFile(file);
    return fetchMockReport(this.system.mock.url, date ?? '');
  }
}

/** Breaks that are open, as `kind reference`. */
export function openOnes({ breaks }: Result): string[] {
  return breaks
    .filter(({ closed_at }) => closed_at === null)
    .map(({ kind, reference }) => `${kind} ${reference}`);
}
