import type { LongTx } from '#postgres/long-session.js';
import { failpoint } from '#seams/failpoints.js';
import { findBookedOtherwise } from './book-payouts.js';
import { CLOSE_GONE, FORGET_FINDINGS, OPEN_BREAKS } from './breaks.sql.js';
import {
  FIND_CHARGES_NOT_HERE,
  FIND_CHARGES_NOT_THERE,
  FIND_CHARGES_THAT_DIFFER,
  FIND_LEDGER_AGAINST_PAYMENTS,
} from './compare-charges.sql.js';
import {
  FIND_LINES_TWICE,
  FIND_OTHER_LINES,
  FIND_PAYOUT_SUMS,
  FIND_STEPS_NOT_THERE,
  FIND_STEPS_THAT_DIFFER,
} from './compare-steps.sql.js';
import { neighboursOf } from './neighbours.js';

export type Comparison = {
  importId: string;
  date: string;
  processorName: string;
  windowHours: number;
  kinds: readonly string[];
  progress: (step: number) => void;
};

/**
 * Judges what was set apart, and turns what differs into breaks: new ones open, those that came back open again, and
 * those that are gone close. Belongs into one transaction.
 */
export async function compare(tx: LongTx, comparison: Comparison): Promise<void> {
  const { importId, processorName, date, windowHours, kinds, progress } = comparison;
  const { around, before } = await neighboursOf(tx, processorName, date);
  const about = [importId, date, processorName];
  await tx.run(FORGET_FINDINGS, [importId]);
  const steps = [
    () => tx.run(FIND_LINES_TWICE, [importId, processorName]),
    () => tx.run(FIND_CHARGES_THAT_DIFFER, [importId, date]),
    () => tx.run(FIND_CHARGES_NOT_HERE, [importId, processorName, windowHours]),
    () => tx.run(FIND_CHARGES_NOT_THERE, [...about, windowHours, around]),
    () => tx.run(FIND_STEPS_THAT_DIFFER, [importId, date, windowHours]),
    () => tx.run(FIND_STEPS_NOT_THERE, [...about, windowHours, around]),
    () => tx.run(FIND_OTHER_LINES, [importId, processorName]),
    () => tx.run(FIND_PAYOUT_SUMS, [importId, before]),
    () => findBookedOtherwise(tx, comparison, before),
    () => tx.run(FIND_LEDGER_AGAINST_PAYMENTS, about),
    () => failpoint('s3'),
    () => tx.run(OPEN_BREAKS, about),
    () => tx.run(CLOSE_GONE, [...about, kinds]),
  ];
  for (const [done, step] of steps.entries()) {
    await step();
    progress(done + 1);
  }
}
