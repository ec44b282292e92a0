import { createReadStream, existsSync, rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createInterface } from 'node:readline';
import { startMockProcessor } from '../apps/mock-processor/src/server.js';
import {
  explainFailedStart,
  readPort,
  readSettings,
  SettingError,
} from '../apps/mock-processor/src/settings.js';

const HELP = `npm run mock -- [--port N] [--book FILE] [--fresh]

Starts a card processor that speaks the part of Stripe's API that takes, captures, cancels and refunds
payments, keeps a book of its own, and misbehaves when it is told to. Point any Stripe client at it.

  --port N     where it listens (MOCK_PORT, else 3001; 0 takes any free port)
  --book FILE  its append-only file (MOCK_BOOK, else .payonce/mock/book.jsonl)
  --fresh      begin with an empty book
  --help       this text

What it can do is told in apps/mock-processor/README.md.
`;

/** `npm run mock`: runs until Ctrl-C. */
export async function main(args: string[]): Promise<void> {
  try {
    const options = readOptions(args);
    if (options.help) return say(HELP);
    if (options.fresh) await removeBook(options.bookFile);
    const mock = await startMockProcessor({
      ...options,
      log: ({ event, ...more }) => say(`${event} ${JSON.stringify(more)}\n`),
    });
    say(greeting(mock.url, options.bookFile));
    const stop = () => {
      process.off('SIGINT', stop).off('SIGTERM', stop);
      void mock.close().then(() => process.exit(0));
    };
    process.on('SIGINT', stop).on('SIGTERM', stop);
  } catch (error) {
    process.stderr.write(`mock: ${explainFailedStart(error).message}\n`);
    process.exitCode = 1;
  }
}

function readOptions(args: string[]) {
  const { port, host, bookFile, webhooks } = readSettings(process.env);
  const { values } = readArguments(args);
  return {
    help: values.help,
    fresh: values.fresh,
    port: values.port === undefined ? port : readPort('--port', values.port),
    bookFile: values.book ?? bookFile,
    host,
    webhooks,
  };
}

function readArguments(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        port: { type: 'string' },
        book: { type: 'string' },
        fresh: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false, short: 'h' },
      },
    });
  } catch (error) {
    throw new SettingError(`${(error as Error).message}\n\n${HELP}`, { cause: error });
  }
}

/** Removes a book, and never a file that only happens to have the name that was given. */
async function removeBook(file: string): Promise<void> {
  if (!existsSync(file)) return;
  const lines = createInterface({ input: createReadStream(file) });
  for await (const line of lines) {
    lines.close();
    if (!line.startsWith('{"book":"mock-processor"')) {
      throw new SettingError(`--fresh: ${file} is not a book of this mock; it is left as it is`);
    }
    break;
  }
  rmSync(file);
}

function greeting(url: string, bookFile: string): string {
  return `The mock card processor listens on ${url}

  Its book    ${url}/_control/book   (kept in ${bookFile})
  Its state   ${url}/_control/state

Charge a card, and paste it again to see the same answer replayed:

  curl ${url}/v1/payment_intents -u sk_test_any: \\
    -H 'Idempotency-Key: try-1' \\
    -d amount=2500 -d currency=usd -d confirm=true -d payment_method=pm_card_visa

Other payment methods misbehave: pm_test_lose_response, pm_test_timeout_charged, pm_test_error_charged,
pm_test_garbage, pm_test_slow_3000, pm_card_chargeDeclined … Ctrl-C stops it; the book stays.
`;
}

function say(text: string): void {
  process.stdout.write(text);
}
