import { payonceHome } from '#embedded/home.js';
import { roleUrls } from '#embedded/role-urls.js';
import { currentRunRecord } from '#embedded/run-record.js';
import { withDatabase } from '#embedded/with-database.js';
import { AnotherRun, Stopped } from '#reconciliation/reconcile.js';
import { UnreadableReport } from '#reconciliation/read-records.js';
import { ConfigError } from '#platform/config.js';
import { DatabaseUnavailable } from '#postgres/errors.js';
import { systemRandom } from '#seams/random.js';
import {
  type Asked,
  HELP,
  readOptions,
  runReconciliation,
} from '../apps/reconciliation/src/run.js';
import { UsageError } from './command.js';

const COULD_NOT_RUN = 2;

/** `npm run reconcile`. */
export async function main(args: string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(HELP);
    return;
  }
  try {
    const asked = readOptions(args);
    process.exitCode = await withDatabase(
      { env: process.env, random: systemRandom },
      (databaseUrl) =>
        whileNobodyStops((signal) =>
          runReconciliation(asked, environment(asked, databaseUrl), signal),
        ),
    );
  } catch (error) {
    process.stderr.write(`${inWords(error)}\n`);
    process.exitCode = COULD_NOT_RUN;
  }
}

/** Ctrl-C ends the run, whose transactions are undone, and then this command. */
async function whileNobodyStops<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  for (const signal of SIGNALS) process.on(signal, stop);
  try {
    return await work(stopping.signal);
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The services' own settings; what is not set is that of the start that runs here. */
function environment({ processor }: Asked, databaseUrl: string): NodeJS.ProcessEnv {
  const { env } = process;
  const mockUrl = env['STRIPE_API_BASE'] || currentRunRecord(payonceHome())?.mockUrl;
  if (processor === 'mock' && !mockUrl) {
    throw new UsageError(
      'The mock does not run here: start it with npm start, or set STRIPE_API_BASE.',
    );
  }
  return {
    ...env,
    DATABASE_URL: databaseUrl,
    APP_DATABASE_URL: env['APP_DATABASE_URL'] || roleUrls(databaseUrl).appUrl,
    ...(processor === 'mock' && mockUrl ? { STRIPE_API_BASE: mockUrl } : {}),
  };
}

function inWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const expected =
    error instanceof UnreadableReport ||
    error instanceof AnotherRun ||
    error instanceof Stopped ||
    error instanceof UsageError ||
    error instanceof ConfigError ||
    error instanceof DatabaseUnavailable ||
    (error as NodeJS.ErrnoException).code !== undefined;
  return expected ? error.message : (error.stack ?? error.message);
}
