import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { checkoutRoot } from '#embedded/home.js';

export type Told = {
  code: number | null;
  counts: Record<string, number>;
  violations: { invariant: string; says?: string; rows: object[] }[];
  lastWords: string;
};

/** Runs another command of the proof as it would be run by hand, and reads the report that it leaves. */
export async function runOther(
  command: string,
  args: string[],
  { stopping, say }: { stopping: AbortSignal; say: (line: string) => void },
): Promise<Told> {
  const out = mkdtempSync(join(tmpdir(), `payonce-${command}-`));
  try {
    const main = [join(checkoutRoot(), 'ops', 'run-built.mjs'), command, ...args, '--out', out];
    const child = spawn(process.execPath, main, {
      cwd: checkoutRoot(),
      env: { ...process.env, PAYONCE_BUILD: 'dist-demo' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const stop = () => child.kill('SIGTERM');
    stopping.addEventListener('abort', stop);
    const words: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        words.push(line);
        say(`${command}: ${line.trim()}`);
      });
    }
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    stopping.removeEventListener('abort', stop);
    const file = join(out, 'report.json');
    const report = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Told) : null;
    return {
      code,
      counts: report?.counts ?? {},
      violations: report?.violations ?? [],
      lastWords: words.slice(-5).join('\n'),
    };
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}
