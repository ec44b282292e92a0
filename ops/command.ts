import { accessSync, constants, mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { ConfigError } from '#platform/config.js';
import { DatabaseUnavailable } from '#postgres/errors.js';

/** A command that was called wrongly, or that cannot do what it was asked: said in one line, exit code 2. */
export class UsageError extends Error {}

type Options = NonNullable<ParseArgsConfig['options']>;

/** Options as they were given; each tool checks its own. */
export type OptionValues = { [name: string]: string | boolean | undefined };

/**
 * Runs a command line tool: reads its options (`--help` is every tool's), prints results on stdout and
 * everything for people on stderr, and exits with what `work` returns; 2 when it could not run.
 */
export async function runCommand<O extends Options>(
  { args, help, options }: { args: string[]; help: string; options: O },
  work: (values: OptionValues, words: string[]) => Promise<number>,
): Promise<void> {
  try {
    const all = { ...options, help: { type: 'boolean', short: 'h' } } as Options;
    const { values, positionals } = parseArgs({ args, options: all, allowPositionals: true });
    if (values['help']) {
      process.stdout.write(help);
      return;
    }
    process.exitCode = await work(values as OptionValues, positionals);
  } catch (error) {
    process.stderr.write(`${inWords(error)}\n`);
    process.exitCode = 2;
  }
}

/** For a tool that takes options alone: a word too many is one that somebody believes to have an effect. */
export function refuseWords(words: readonly string[]): void {
  if (words.length > 0) throw new UsageError(`${words[0]} is not an option.`);
}

/** Makes the folder that results go to. Before the work, since afterwards it would be in vain. */
export function outFolder(path: unknown): string {
  const folder = resolve(String(path));
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new UsageError(`--out ${folder} cannot be written: ${(error as Error).message}`);
  }
  return folder;
}

/** What people need of an error: a sentence, and the stack only where it is a bug. */
function inWords(error: unknown): string {
  if (error instanceof DatabaseUnavailable)
    return `${error.message}: ${causeOf(error)}\nSee --help.`;
  if (!(error instanceof Error)) return String(error);
  const expected =
    error instanceof UsageError ||
    error instanceof ConfigError ||
    (error as NodeJS.ErrnoException).code !== undefined;
  return expected ? `${error.message}\nSee --help.` : (error.stack ?? error.message);
}

function causeOf({ cause }: DatabaseUnavailable): string {
  return cause instanceof Error ? cause.message : String(cause);
}
