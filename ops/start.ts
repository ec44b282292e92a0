import { parseArgs } from 'node:util';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkoutRoot, payonceHome } from '#embedded/home.js';
import { AlreadyRunning, runHolder } from '#embedded/run-lock.js';
import { ConfigError } from '#platform/config.js';
import { systemRandom } from '#seams/random.js';
import { say, surviveClosedOutput } from './start/say.js';
import { readStartSettings } from './start/settings.js';
import { stopRequest } from './start/stop-requests.js';
import { System } from './start/system.js';
import { paymentCommand } from './start/try-it.js';

const HELP = `npm start [-- --fresh]

Starts everything on this machine: PostgreSQL (the real server, brought by npm), payments-api,
recovery-worker and mock-processor, each a process of its own. Prints an API key and a curl command
that takes a payment. Ctrl-C stops everything; the data stays for the next start.

  --fresh   begin anew: an empty database and an empty book of the mock processor
  --help    this text

Settings come from the environment; .env.example lists those of the services. The common ones:
  PORT, MOCK_PORT   ports of the API (3000) and of the mock processor (3001)
  DATABASE_URL      a PostgreSQL of yours (15 or newer) in place of the embedded one
  PAYONCE_HOME      where the embedded database and the mock's book are kept: each checkout has a folder
                    in ~/.local/share/payonce, or in /var/lib/payonce when root starts it
`;

/** `npm start`. It ends the process itself, with 0 when it was asked to stop. */
export async function main(args: string[]): Promise<void> {
  const startedMs = performance.now();
  const { fresh, help } = readArguments(args, HELP);
  if (help) return say(HELP);
  await runUntilStopped(async (system) => {
    await system.start({ fresh });
    tellHowToUse(system, (performance.now() - startedMs) / 1000);
  }, fresh);
}

/** Runs the work and everything that it starts until somebody wants an end, then stops it in order. */
export async function runUntilStopped(
  work: (system: System) => Promise<void>,
  fresh: boolean,
): Promise<never> {
  surviveClosedOutput();
  const stop = stopRequest();
  let system: System | undefined;
  let exitCode = 0;
  let begun = true;
  try {
    system = await prepare(process.env, fresh);
    const end = await Promise.race([
      stop.then((reason) => ({ code: 0, words: `Stopping (${reason})` })),
      system.refused.then((reason) => ({ code: 1, words: reason })),
      work(system).then(() => new Promise<never>(() => {})),
    ]);
    exitCode = end.code;
    say(`\n${end.words}`);
  } catch (error) {
    exitCode = 1;
    // Else "stopped" would sound as if the run that was in the way had ended.
    begun = system !== undefined && !(error instanceof AlreadyRunning);
    say(inWords(error));
  }
  await system?.stop();
  if (exitCode === 0) say('Everything has stopped; the data is kept for the next start.');
  else if (begun) say('Stopped.');
  process.exit(exitCode);
}

async function prepare(env: NodeJS.ProcessEnv, fresh: boolean): Promise<System> {
  const home = payonceHome();
  const holder = runHolder(home);
  // Before the ports, which the other run has taken: they are not what stands in the way.
  if (holder !== undefined) throw new AlreadyRunning(holder);
  const settings = await readStartSettings(env, fresh);
  const build = dirname(dirname(fileURLToPath(import.meta.url)));
  return new System({ root: checkoutRoot(), build, home, env, settings });
}

export function tellHowToUse(system: System, seconds: number): void {
  const { apiUrl, mockUrl, apiKey } = system;
  const book = mockUrl
    ? `\n  Mock's book    ${mockUrl}/_control/book   what the card processor charged`
    : '';
  say(`
Payonce is ready (${seconds.toFixed(1)} s). Ctrl-C stops everything; the data stays for the next start.

  API            ${apiUrl}
  API docs       ${apiUrl}/docs${book}

${invitation(apiUrl, apiKey)}
`);
}

function invitation(apiUrl: string, apiKey: string | null): string {
  if (apiKey !== null) {
    return `Take a payment. Pasted again it replays: the same answer, and no second charge.

${paymentCommand(apiUrl, apiKey, systemRandom)}`;
  }
  return `This database is yours, so it gets no demo key. Make an API key of your own:

npm run keys -- create --account NAME

Then take a payment; pasted again it replays: the same answer, and no second charge.

${paymentCommand(apiUrl, 'THE_KEY', systemRandom)}`;
}

export function readArguments(args: string[], help: string): { fresh: boolean; help: boolean } {
  try {
    const options = { fresh: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;
    const { values } = parseArgs({ args, options });
    return { fresh: values.fresh ?? false, help: values.help ?? false };
  } catch (error) {
    say(`${(error as Error).message}\n\n${help}`);
    return process.exit(1);
  }
}

function inWords(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  if (error instanceof AlreadyRunning) {
    return `${error.message} Stop it with Ctrl-C in its terminal, or with: kill ${error.pid}`;
  }
  if (!(error instanceof Error)) return String(error);
  return process.env['DATABASE_URL'] && isRefusedConnection(error)
    ? `DATABASE_URL: the database cannot be used: ${error.message}`
    : (error.stack ?? error.message);
}

/** Nobody listens there, or PostgreSQL sends us away: a wrong address, user, password or name. */
function isRefusedConnection(error: Error & { syscall?: string; severity?: string }): boolean {
  return ['connect', 'getaddrinfo'].includes(error.syscall ?? '') || error.severity === 'FATAL';
}
