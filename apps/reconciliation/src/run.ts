import 'reflect-metadata';
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { openCore } from '#platform/core.js';
import { ConfigError, readConfig } from '#platform/config.js';
import { openLogger } from '#platform/logging.js';
import { printHtml } from '#reconciliation/print-html.js';
import { printJson } from '#reconciliation/print-json.js';
import { printText } from '#reconciliation/print-text.js';
import type { Reader, Reconciled } from '#reconciliation/reconcile.js';
import { Progress } from './progress.js';

export const HELP = `npm run reconcile -- --processor NAME (--date YYYY-MM-DD | --file FILE) [options]

Compares one day of our books with the settlement report of the processor. What is only missing here is
repaired, each line as the webhook that was lost would have done it; every other difference becomes a break,
which closes by itself once it is gone, or by a person with a reason. Payouts that come to the sum of their lines
are booked, of each payment.

  --processor NAME   mock or stripe: the one that the services are configured for
  --date YYYY-MM-DD  the UTC day. The mock publishes its report; other processors' come by --file
  --file FILE        a report in a file, in the columns of Stripe's itemised reports; FILE.summary.json
                     beside it says what it must come to. Without --date: the day that most lines are of
  --dry-run          compares and tells, and writes nothing
  --json             the result as JSON, alone on standard output
  --html FILE        also writes it as one page
  --help             this text

One run of a processor at a time. Exits 0 when no difference is open, 1 when some are, 2 when it could not run
(also while another run is at it, or when the file does not fit its summary).
docs/reconciliation.md tells what is compared, and how.
`;

const OPTIONS = {
  processor: { type: 'string' },
  date: { type: 'string' },
  file: { type: 'string' },
  'dry-run': { type: 'boolean' },
  json: { type: 'boolean' },
  html: { type: 'string' },
} as const;

export type Asked = ReturnType<typeof readOptions>;

/** Reads the options; throws a sentence for people where they say nothing that can be done. */
export function readOptions(args: string[]) {
  const { values } = parseArgs({ args, options: OPTIONS });
  const { processor, date, file } = values;
  if (processor !== 'mock' && processor !== 'stripe') {
    throw new ConfigError('--processor must be mock or stripe.');
  }
  if (date === undefined && file === undefined) {
    throw new ConfigError('--date or --file must say which report it is.');
  }
  if (date !== undefined && !isDay(date)) {
    throw new ConfigError(`--date must be a day, such as 2026-01-31; it is "${date}".`);
  }
  return {
    processor,
    date: date ?? null,
    file: file ?? null,
    isDryRun: values['dry-run'] ?? false,
    isJson: values.json ?? false,
    html: values.html ?? null,
  };
}

/** Runs it and prints the result. Returns the exit code. */
export async function runReconciliation(
  asked: Asked,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<number> {
  const { NestFactory } = await import('@nestjs/core');
  const { AppModule } = await import('./app.module.js');
  const { Job } = await import('./job.js');
  const config = readConfig(env);
  if (config.processorName !== asked.processor) {
    throw new ConfigError(
      `The services are configured for ${config.processorName}, not for ${asked.processor}.`,
    );
  }
  const level = env['LOG_LEVEL'] ? config.logLevel : 'warning';
  const log = openLogger('reconciliation', level, {
    write: (line: string) => void process.stderr.write(line),
  });
  const core = await openCore(config, log, { service: 'reconciliation' });
  const app = await NestFactory.createApplicationContext(AppModule.around(core), { logger: false });
  const progress = new Progress(core.deps.clock, (text) => void process.stderr.write(text));
  try {
    return await app.get(Job).run(
      {
        ...asked,
        signal,
        progress: (doing, done) => progress.tell(doing, done),
      },
      (reconciled, reader) => tell(asked, reconciled, reader),
    );
  } finally {
    await app.close();
    await core.close();
  }
}

async function tell(asked: Asked, reconciled: Reconciled, reader: Reader): Promise<number> {
  if (asked.html !== null) await writeFile(asked.html, await printHtml(reconciled, reader));
  if (asked.isJson) {
    for await (const piece of printJson(reconciled, reader)) await written(piece);
  } else await written(await printText(reconciled, reader));
  return reconciled.openInAll === 0 ? 0 : 1;
}

/** Waits where the reader of standard output is slower than we are. */
async function written(text: string): Promise<void> {
  if (process.stdout.write(text)) return;
  await new Promise<void>((resolve) => {
    process.stdout.once('drain', resolve);
  });
}

function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}
