import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkoutRoot } from '#embedded/home.js';
import { commitOf } from '../proof/runs.js';
import type { AllowedGraph } from './allowed-graph.js';
import type { Found } from './search.js';
import type { Scope } from './state.js';

type Searched = { scope: Scope; found: Found; seconds: number };

/** Writes `report.json`: verdict, counts, how often each move was made, the violation, and the graph that was walked. */
export async function writeModelReport(
  folder: string,
  searched: readonly Searched[],
  graph: AllowedGraph,
): Promise<void> {
  const violations = searched.flatMap(({ found }) => found.violation ?? []);
  const report = {
    verdict: violations.length === 0 ? 'held' : 'violated',
    seed: null, // nothing is drawn: all of it was searched
    commit: commitOf(checkoutRoot()),
    counts: Object.fromEntries(searched.map((one) => [one.scope.capture, countsOf(one)])),
    sometimes: sometimes(searched),
    violations: violations.map(({ invariant, says, path }) => ({ invariant, says, rows: path })),
    graph,
  };
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
}

function countsOf({ scope, found, seconds }: Searched): Record<string, number> {
  const { clients, workers, faults } = scope;
  const { states, edges, depth } = found;
  return { clients, workers, faults, states, edges, depth, seconds: Number(seconds.toFixed(1)) };
}

function sometimes(searched: readonly Searched[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { found } of searched) {
    for (const [what, count] of found.walked) counts[what] = (counts[what] ?? 0) + count;
  }
  return counts;
}
