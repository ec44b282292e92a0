import { whileTimeFlies } from './load.js';
import { Merchant } from './merchant.js';
import type { Finding, PhaseResult, Terms } from './phase.js';
import type { Planted } from './processor.js';
import { heal, untilQuiet } from './quiet.js';
import { daysOf, differences, reconcile } from './reconcile-day.js';
import { REPORT_BREAKS } from './sometimes.js';
import type { World } from './world.js';

const DAY_MS = 86_400_000;
const PAYMENTS = 6;
/** Where a run that is killed has done much and decided nothing. */
const DIES_AT = 's3:1:kill';

/**
 * Holds every day so far against the processor's report. Whatever befell processes and network, what is quiet has no
 * difference (I19); what a report is then made to say wrongly is found, each once and nothing else, also by a run that
 * comes after one that was killed; and it is gone when the report is right again.
 */
export async function settlement(terms: Terms): Promise<PhaseResult> {
  const world = await terms.world();
  await whileTimeFlies(world, async () => {
    await takePayments(world, `settlement-${terms.seed}`);
    await heal(world);
  });
  await untilQuiet(world);
  const days = await daysOf(world);
  await world.advance(DAY_MS); // all of them are over
  const findings: Finding[] = [];
  const compare = async (day: string, planted: Planted[] = []) => {
    const run = await reconcile(terms, world, day);
    // What was broken off by a Ctrl-C has found nothing, and missed nothing.
    if (!terms.stopping.aborted) findings.push(...differences(day, planted, run));
  };
  for (const day of days) await compare(day);
  const day = days.at(-1) ?? '';
  const planted = await plant(world, day);
  await dieHalfway(terms, world, day);
  await compare(day, planted);
  await world.processor.uproot(day);
  await compare(day);
  const held = `${days.length === 1 ? 'a day' : `${days.length} days`} held against the processor’s report`;
  return { line: `${held}, ${planted.length} planted differences found`, findings };
}

async function dieHalfway(terms: Terms, world: World, day: string): Promise<void> {
  const { signal, said } = await reconcile(terms, world, day, DIES_AT);
  if (terms.stopping.aborted) return;
  if (signal !== 'SIGKILL') throw new Error(`Was not killed at s3:\n${said}`);
  world.journal.count('SIGKILLs');
}

/** Something that a report can be wrong about, on the day that it is now. */
async function takePayments(world: World, name: string): Promise<void> {
  for (let n = 1; n <= PAYMENTS; n += 1) {
    const merchant = new Merchant(world, `${name}-${n}`);
    const { id } = await merchant.pay('pm_card_visa');
    if (n === 1) await merchant.refund(id);
  }
}

async function plant(world: World, date: string): Promise<Planted[]> {
  const planted = [];
  for (const kind of REPORT_BREAKS) {
    const one = await world.processor.plant({ date, kind });
    if (one) planted.push(one);
  }
  return planted;
}
