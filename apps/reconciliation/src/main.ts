import { redact } from '#problems/redact.js';
import { ConfigError, EXIT_CONFIG } from '#platform/config.js';
import { HELP, readOptions, runReconciliation } from './run.js';

/** The job alone, for a scheduler: its options as of `npm run reconcile`, its settings from the environment. */
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort());
const args = process.argv.slice(2);
try {
  if (args.includes('--help')) process.stdout.write(HELP);
  else process.exitCode = await runReconciliation(readOptions(args), process.env, stopping.signal);
} catch (error) {
  process.stderr.write(`${redact((error as Error).message)}\n`);
  process.exitCode = error instanceof ConfigError ? EXIT_CONFIG : 2;
}
