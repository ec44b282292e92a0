export const FEE_CATEGORIES = ['charge', 'refund', 'dispute'] as const;
export type FeeCategory = (typeof FEE_CATEGORIES)[number];

/** One case of what the processor keeps. A row for a currency goes before the row for all of them. */
export type FeeRow = {
  category: FeeCategory;
  /** Null: every currency that has no row of its own. */
  currency: string | null;
  /** Hundredths of a percent of the amount, rounded half up. */
  basis_points: number;
  /** Minor units of the movement's own currency. */
  fixed: number;
};

/** What a bank takes for a dispute, whoever wins. */
export const DISPUTE_FEE = 1500;

export const ORDINARY_FEES: readonly FeeRow[] = [
  { category: 'charge', currency: null, basis_points: 290, fixed: 30 },
  { category: 'dispute', currency: null, basis_points: 0, fixed: DISPUTE_FEE },
];

/**
 * What a movement costs the merchant. A charge that its fee would exceed is made without one, so that
 * no charge's net is negative. What has no row is free.
 */
export function feeFor(
  rows: readonly FeeRow[],
  category: FeeCategory,
  currency: string,
  amount: number,
): number {
  const fitting = rows.filter((row) => row.category === category);
  const row =
    fitting.find((candidate) => candidate.currency === currency) ??
    fitting.find((candidate) => candidate.currency === null);
  if (!row) return 0;
  const fee = Math.floor((amount * row.basis_points + 5_000) / 10_000) + row.fixed;
  return category === 'charge' && fee > amount ? 0 : fee;
}
