import { checkoutRoot } from '#embedded/home.js';
import { appendRun } from '../proof/runs.js';

/** Our own count, and what `docs/proof-runs.jsonl` calls it. */
const NAMES: Record<string, string> = {
  SIGKILLs: 'kills',
  'database crash-restarts': 'restarts',
  cut_before: 'cuts',
  cut_after: 'cuts',
  'bad inputs': 'inputs',
  'race bursts': 'bursts',
  intents: 'intents',
};

/** Notes what a run has reached, so that runs over the same sources add up. */
export function recordRun(command: string, counts: Record<string, number>): void {
  const reached: Record<string, number> = {};
  const hits: Record<string, number> = {};
  for (const [name, count] of Object.entries(counts)) {
    const known = NAMES[name];
    if (known !== undefined) reached[known] = (reached[known] ?? 0) + count;
    const [, point, action] = /^failpoint (\w+) (\w+)$/.exec(name) ?? [];
    if (point !== undefined) hits[`${point}:${action}`] = count;
  }
  appendRun(checkoutRoot(), { command, counts: reached, hits });
}
