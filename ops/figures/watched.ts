import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

export type Watched = {
  output: string;
  lastWords: string;
  exit: number | null;
  ms: number;
  /** The most memory that it ever held, in bytes; null where the system does not tell. */
  peakBytes: number | null;
};

export type Command = { program: string; args: string[]; env: Record<string, string>; cwd: string };

const LOOK_EACH_MS = 50;
const LAST_WORDS_MAX = 4_000;

/** Runs a program to its end, and looks meanwhile how much memory it has held. */
export async function watched({ program, args, env, cwd }: Command): Promise<Watched> {
  const startedMs = performance.now();
  const child = spawn(program, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let lastWords = '';
  let peakBytes: number | null = null;
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
  child.stderr
    .setEncoding('utf8')
    .on('data', (text) => (lastWords = (lastWords + text).slice(-LAST_WORDS_MAX)));
  const look = setInterval(() => (peakBytes = peakOf(child.pid) ?? peakBytes), LOOK_EACH_MS);
  const stop = () => child.kill();
  process.once('exit', stop);
  try {
    const [exit] = await once(child, 'close');
    return { output, lastWords, exit, ms: performance.now() - startedMs, peakBytes };
  } finally {
    clearInterval(look);
    process.off('exit', stop);
  }
}

/** The kernel keeps the highest value itself, so nothing is missed between two looks but the very end. */
function peakOf(pid: number | undefined): number | null {
  try {
    const [, kilobytes] =
      /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? null : Number(kilobytes) * 1_024;
  } catch {
    return null;
  }
}
