/**
 * Judges a reconciliation as one judges a detector: what was planted against what it found. It shares no code
 * with what it judges. A break counts for what was planted if kind and reference are the same; each counts once.
 */
export function score(planted: readonly Planted[], breaks: readonly Break[]): Score {
  const waiting = new Map<string, Planted[]>();
  for (const one of planted) {
    const list = waiting.get(nameOf(one));
    if (list) list.push(one);
    else waiting.set(nameOf(one), [one]);
  }
  const falseAlarms: Break[] = [];
  let unexplained = 0n;
  for (const seen of breaks) {
    const meant = waiting.get(nameOf(seen))?.shift();
    if (!meant) falseAlarms.push(seen);
    else if (seen.difference !== null) {
      unexplained += size(size(seen.difference) - size(BigInt(meant.amount)));
    }
  }
  const missed = [...waiting.values()].flat();
  for (const { amount } of missed) unexplained += size(BigInt(amount));
  for (const { difference } of falseAlarms) unexplained += size(difference ?? 0n);
  return {
    planted: planted.length,
    found: planted.length - missed.length,
    missed,
    falseAlarms,
    centsUnexplained: unexplained,
  };
}

export type Planted = { kind: string; reference: string; amount: number };

export type Break = {
  kind: string;
  reference: string;
  /** Theirs less ours, in minor units; null where the break is not about an amount. */
  difference: bigint | null;
};

export type Score = {
  planted: number;
  found: number;
  missed: Planted[];
  falseAlarms: Break[];
  /**
   * Minor units, whatever the currency: all of what was missed, all that a false alarm claims, and what a break
   * says too much or too little of what was planted.
   */
  centsUnexplained: bigint;
};

/** Reads the list of what was planted: JSON lines. */
export function readPlanted(text: string): Planted[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { kind, reference, amount } = JSON.parse(line) as Record<string, unknown>;
      const isOne = typeof kind === 'string' && typeof reference === 'string';
      if (!isOne || !Number.isSafeInteger(amount)) throw new Error(`no planted anomaly: ${line}`);
      return { kind, reference, amount: amount as number };
    });
}

/** Reads the open breaks of what `npm run reconcile -- --json` printed. */
export function readBreaks(text: string): Break[] {
  const { breaks } = JSON.parse(text) as { breaks: PrintedBreak[] };
  return breaks
    .filter(({ closed_at }) => closed_at === null)
    .map(({ kind, reference, ours, theirs }) => ({
      kind,
      reference,
      difference: WITHOUT_AMOUNT.includes(kind) ? null : amountOf(theirs) - amountOf(ours),
    }));
}

/** Both sides have the same money, under another name, at another time, or in another state. */
const WITHOUT_AMOUNT = ['currency', 'timing', 'status'];

type PrintedBreak = {
  kind: string;
  reference: string;
  ours: Side;
  theirs: Side;
  closed_at: string | null;
};
type Side = { amount?: string } | null;

/** Nothing where a side has no such movement. */
function amountOf(side: Side): bigint {
  return BigInt(side?.amount ?? 0);
}

function nameOf({ kind, reference }: { kind: string; reference: string }): string {
  return `${kind}\n${reference}`;
}

function size(amount: bigint): bigint {
  return amount < 0n ? -amount : amount;
}
