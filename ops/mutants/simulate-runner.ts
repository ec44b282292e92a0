import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Found = { schedules: number | null; seen: string[] };

/** How many schedules it takes until one violates the invariant; null if none of so many seeds does. */
export async function schedulesUntil(
  root: string,
  seeds: number,
  invariant: string,
): Promise<Found> {
  const seen = new Set<string>();
  for (let from = 1; from <= seeds;) {
    const { schedules, violations } = await simulateUntilRed(root, from, seeds);
    const first = violations.find((violation) => violation.invariant === invariant);
    for (const violation of violations) seen.add(violation.invariant);
    if (first) return { schedules: Number(first.seed), seen: [...seen] };
    if (schedules === 0) break;
    from += schedules;
  }
  return { schedules: null, seen: [...seen] };
}

type Violations = { schedules: number; violations: { invariant: string; seed: string }[] };

/** One run, which is asked to end as soon as it has found something. */
async function simulateUntilRed(root: string, from: number, to: number): Promise<Violations> {
  const out = mkdtempSync(join(tmpdir(), 'payonce-mutant-'));
  try {
    const args = ['ops/run.mjs', 'simulate', '--seeds', `${from}..${to}`, '--jobs', '1', '--first'];
    await new Promise<void>((resolve) => {
      const child = spawn(process.execPath, [...args, '--out', out], {
        cwd: root,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        if (/ [1-9]\d* violated/.test(text)) child.kill('SIGTERM');
      });
      child.once('close', () => resolve());
    });
    return readReport(join(out, 'report.json'));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

function readReport(file: string): Violations {
  try {
    const { counts, violations } = JSON.parse(readFileSync(file, 'utf8')) as {
      counts: { schedules: number };
      violations: Violations['violations'];
    };
    return { schedules: counts.schedules, violations };
  } catch {
    return { schedules: 0, violations: [] }; // it could not run: that kills nobody
  }
}
