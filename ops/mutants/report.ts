import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { wordsOf } from './mutant.js';
import type { Judged } from './run.js';

export type Counts = {
  killed: number;
  survived: number;
  not_yet: number;
  not_judged: number;
  /** Of the schedules that it took a simulation to find one; null where none was asked. */
  mean_schedules: number | null;
};

export function countsOf(judged: readonly Judged[]): Counts {
  const count = (verdict: Judged['verdict']) =>
    judged.filter((each) => each.verdict === verdict).length;
  const schedules = judged.flatMap(({ checks }) =>
    checks.flatMap(({ verdict }) => verdict.schedules ?? []),
  );
  const sum = schedules.reduce((total, each) => total + each, 0);
  return {
    killed: count('killed'),
    survived: count('survived'),
    not_yet: count('not yet'),
    not_judged: count('not judged'),
    mean_schedules: schedules.length === 0 ? null : Number((sum / schedules.length).toFixed(1)),
  };
}

/** The table at the end: every mutant, what found it, and how long that took. */
export function table(judged: readonly Judged[]): string {
  const rows = judged.map(({ mutant, verdict, seconds, checks }) => [
    mutant.id,
    verdict,
    verdict === 'not yet' ? `since ${mutant.since}` : `${seconds.toFixed(1)} s`,
    checks.flatMap(({ verdict: { schedules } }) => schedules ?? []).join(', '),
    checks.map(({ check }) => wordsOf(check)).join('; '),
  ]);
  const head = ['mutant', 'verdict', 'time', 'schedules', 'named check'];
  const widths = head.map((name, at) =>
    Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)),
  );
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export async function writeMutantsReport(
  folder: string,
  judged: readonly Judged[],
  commit: string | null,
): Promise<void> {
  const survivors = judged.filter(({ verdict }) => verdict === 'survived');
  const report = {
    verdict: survivors.length === 0 ? 'held' : 'survived',
    seed: null,
    commit,
    counts: countsOf(judged),
    sometimes: {},
    violations: survivors.map(({ mutant, checks }) => ({
      invariant: mutant.id,
      says: `nobody would notice: ${mutant.what}`,
      rows: checks.map(({ check, verdict }) => `${wordsOf(check)}: ${verdict.says}`),
    })),
    mutants: judged.map(({ mutant, verdict, seconds, checks }) => ({
      id: mutant.id,
      what: mutant.what,
      verdict,
      seconds: Number(seconds.toFixed(1)),
      checks: checks.map(({ check, verdict: found }) => ({ check: wordsOf(check), ...found })),
    })),
  };
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
}
