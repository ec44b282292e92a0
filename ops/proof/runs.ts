import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** One long run of a proof that held. Runs add up as long as libs and migrations stay what they were. */
export type Run = {
  at: string;
  /** The command as it was given. */
  command: string;
  commit: string;
  /** The hash of libs and migrations. */
  sources: string;
  /** The seeds that it went through, both included; a seed counts once. */
  seeds?: [from: number, to: number];
  counts: Record<string, number>;
  /** Passages of failpoints, as `c5:kill`. */
  hits?: Record<string, number>;
};

/** As git prints it in a repository of this size. */
const SHORT_LENGTH = 7;
const FILE = 'docs/proof-runs.jsonl';

export function readRuns(root: string): Run[] {
  const file = join(root, FILE);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Run);
}

/** Notes a run at the end of the file, with when, of which commit and of which sources it was. */
export function appendRun(
  root: string,
  run: Pick<Run, 'command' | 'counts' | 'seeds' | 'hits'>,
): void {
  const noted: Run = {
    at: new Date().toISOString(),
    commit: commitOf(root)?.slice(0, SHORT_LENGTH) ?? 'unknown',
    sources: hashOfSources(root),
    ...run,
  };
  appendFileSync(join(root, FILE), `${JSON.stringify(noted)}\n`);
}

/** Over every file of libs and migrations but tests: what runs in production. */
export function hashOfSources(root: string): string {
  const hash = createHash('sha256');
  for (const top of ['libs', 'migrations']) {
    const files = readdirSync(join(root, top), { recursive: true }).map(String).sort();
    for (const file of files) {
      if (!/\.(ts|sql)$/.test(file) || /\.spec\.ts$|^testing\//.test(file)) continue;
      hash.update(`${top}/${file}\0`).update(readFileSync(join(root, top, file)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

/** The commit of a checkout; null where there is no repository. */
export function commitOf(root: string): string | null {
  const args = ['-C', root, 'rev-parse', 'HEAD'];
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}

/** What runs of today's sources have counted together; a seed counts once, and mutants are the same in each run. */
export function addUp(
  runs: readonly Run[],
  sources: string,
): { counts: Record<string, number>; hits: Map<string, number> } {
  const counts: Record<string, number> = {};
  const hits = new Map<string, number>();
  for (const run of runs.filter((one) => one.sources === sources)) {
    for (const [name, count] of Object.entries(run.counts)) {
      if (name === 'schedules') continue;
      const before = counts[name] ?? 0;
      counts[name] = name === 'mutants' ? Math.max(before, count) : before + count;
    }
    for (const [point, count] of Object.entries(run.hits ?? {}))
      hits.set(point, (hits.get(point) ?? 0) + count);
  }
  counts['schedules'] = distinctSeeds(runs.filter((one) => one.sources === sources));
  return { counts, hits };
}

/** What all runs have counted, whatever the sources were: what no longer proves anything of today's was run once. */
export function addUpAll(runs: readonly Run[]): Record<string, number> {
  const all: Record<string, number> = {};
  for (const sources of new Set(runs.map((run) => run.sources))) {
    for (const [name, count] of Object.entries(addUp(runs, sources).counts))
      all[name] = name === 'mutants' ? Math.max(all[name] ?? 0, count) : (all[name] ?? 0) + count;
  }
  return all;
}

function distinctSeeds(runs: readonly Run[]): number {
  const ranges = runs.flatMap(({ seeds }) => (seeds ? [seeds] : [])).toSorted(([a], [b]) => a - b);
  let total = 0;
  let end = -1;
  for (const [from, to] of ranges) {
    total += Math.max(0, to - Math.max(from, end + 1) + 1);
    end = Math.max(end, to);
  }
  return total;
}
