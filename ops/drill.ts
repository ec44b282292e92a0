import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError, type OptionValues, outFolder, runCommand } from './command.js';
import { type DrillEnd, restoreDrill } from './drill/restore.js';
import { progress } from './figures/progress.js';
import { stopAtSignals } from './stop-signals.js';

const HELP = `npm run drill -- restore [--minutes N] [--undeclared] [--out FOLDER]

Loses the last minutes of a database and shows what becomes of the money. It starts a PostgreSQL of its own that archives
its write-ahead log, an API, a worker and the mock processor; takes payments, backs up, takes more; then the database is
gone, with callers whose cards were charged and who never heard. It is restored to before the last minutes, the
services start with RECOVERY_SINCE, import what the processor made since, and open; every lost request is retried
under its key. In the end the processor's book, the database and the settlement report of the day are compared, and the
books are verified.

  --minutes N   how much is lost, by the clock of the services (5)
  --undeclared  nobody says that it was restored: the services see it by the server's timeline
  --out FOLDER  keeps the logs of the services and what the callers saw
  --help        prints this

Exits 0 when nothing was charged twice and nothing is missing, 1 when something is, 2 when it could not run or was stopped.
docs/restore.md walks through it, and says what to do with a database of your own.
`;

const MINUTES_MAX = 1_000;

/** `npm run drill`. */
export async function main(args: string[]): Promise<void> {
  const options = {
    minutes: { type: 'string' },
    undeclared: { type: 'boolean' },
    out: { type: 'string' },
  } as const;
  await runCommand({ args, help: HELP, options }, async (values, words) => {
    const [name, more] = words;
    if (name === undefined) throw new UsageError('Which drill? There is: restore.');
    if (name !== 'restore') throw new UsageError(`${name} is no drill. There is: restore.`);
    if (more !== undefined) throw new UsageError(`${more} is not an option.`);
    return drill(values);
  });
}

async function drill(values: OptionValues): Promise<number> {
  const minutes = Number(values['minutes'] ?? 5);
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > MINUTES_MAX) {
    throw new UsageError(`--minutes must be a whole number from 1 to ${MINUTES_MAX}.`);
  }
  const isDeclared = values['undeclared'] !== true;
  const kept = values['out'] === undefined ? null : outFolder(values['out']);
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'payonce-drill-'));
  const stopping = stopAtSignals(() =>
    progress('stopping: everything that was started is ended first'),
  );
  try {
    const end = await restoreDrill({ minutes, isDeclared, folder, say: progress, stopping });
    process.stdout.write(verdictText(end));
    return end.findings.length === 0 ? 0 : 1;
  } catch (error) {
    if (!stopping.aborted) throw error;
    process.stdout.write('STOPPED: nothing is shown.\n');
    return 2;
  } finally {
    if (kept === null) rmSync(folder, { recursive: true, force: true });
  }
}

function verdictText({ lines, findings }: DrillEnd): string {
  const verdict =
    findings.length === 0
      ? 'HELD: what was lost was found again, and nothing was charged twice.'
      : 'NOT HELD:';
  const found = findings.map(
    ({ invariant, says, rows }) => `  ${invariant} ${says}\n    ${JSON.stringify(rows)}`,
  );
  return [verdict, ...found, '', ...lines.map((line, at) => `  ${at + 1}. ${line}`), ''].join('\n');
}
