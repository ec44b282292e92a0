import type { Line } from './lines.js';

/** Every class of break that a comparison can find, and the ways to plant it: the first is the ordinary one. */
export const VARIANTS = {
  missing_here: ['foreign', 'other_account'],
  missing_there: ['line'],
  amount: ['cent', 'sign'],
  currency: ['other'],
  status: ['failed_later', 'charged_after_all'],
  duplicate: ['line', 'charge'],
  fee: ['cent'],
  refund: ['unasked', 'missing', 'amount', 'without_charge'],
  timing: ['next_day', 'next_report'],
  payout_sum: ['cent'],
} as const;
export type AnomalyKind = keyof typeof VARIANTS;
export const ANOMALY_KINDS = Object.keys(VARIANTS) as AnomalyKind[];

/** One thing that a report says wrongly, and how that changes its lines. */
export type Planted = {
  date: string;
  kind: AnomalyKind;
  variant: string;
  /** What was asked for, so that the same order is not followed twice. */
  order: string;
  /** What it is about, by its id at the processor. */
  reference: string;
  /** What the report has too much of, in minor units: negative where it has too little. */
  amount: number;
  currency: string;
  /** The line that is changed or left out; null where lines are only added. */
  victimId: string | null;
  /** The payment that it is about: each is hit once. */
  intentId: string;
  /** What the victim says instead; null leaves it out. */
  patch: Partial<Line> | null;
  /** A line more, and the report that it stands in. */
  extra: { date: string; line: Line } | null;
};

/** As whoever planted it is told. */
export function shownPlanted(planted: Planted): Record<string, unknown> {
  const { kind, reference, amount, currency, variant, victimId, extra } = planted;
  const line = victimId ?? extra?.line.transactionId ?? null;
  return { kind, reference, amount, currency, variant, balance_transaction_id: line };
}

/** The lines of a report with all that was planted into it. */
export function* withPlanted(lines: Iterable<Line>, planted: PlantedDay): Generator<Line> {
  let added = 0;
  for (const line of lines) {
    for (; added < planted.extras.length; added += 1) {
      const extra = planted.extras[added];
      if (!extra || extra.createdMs >= line.createdMs) break;
      yield extra;
    }
    const change = planted.victims.get(line.transactionId);
    if (!change) yield line;
    else if (change.patch) yield { ...line, ...change.patch };
  }
  yield* planted.extras.slice(added);
}

/** What was planted into one report, ready to be laid over its lines. */
export type PlantedDay = {
  victims: ReadonlyMap<string, Planted>;
  /** In the order of time. */
  extras: Line[];
  /** By how much the payout of a currency is off. */
  shifts: ReadonlyMap<string, number>;
};

export function plantedDay(all: readonly Planted[], date: string): PlantedDay {
  const here = all.filter((planted) => planted.date === date);
  return {
    victims: new Map(
      here.flatMap((planted) => (planted.victimId === null ? [] : [[planted.victimId, planted]])),
    ),
    extras: all
      .flatMap(({ extra }) => (extra?.date === date ? [extra.line] : []))
      .sort((a, b) => a.createdMs - b.createdMs),
    shifts: new Map(
      here.flatMap(({ kind, currency, amount }) =>
        kind === 'payout_sum' ? [[currency, amount]] : [],
      ),
    ),
  };
}
