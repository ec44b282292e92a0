/** How a number of measured times lie, in milliseconds. */
export type Spread = { count: number; p50Ms: number; p99Ms: number; maxMs: number };

export function spreadOf(timesMs: readonly number[]): Spread {
  const sorted = timesMs.toSorted((a, b) => a - b);
  return {
    count: sorted.length,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    maxMs: quantile(sorted, 1),
  };
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
