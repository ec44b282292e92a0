import { whileTimeFlies } from './load.js';
import { Merchant } from './merchant.js';
import type { PhaseResult, Terms } from './phase.js';
import type { World } from './world.js';

/** Asks for what it is about, and says what the bank then has to say of it. */
type Story = (merchant: Merchant, world: World) => Promise<object>;

/** By the break that each must open. */
const STORIES: Record<string, Story> = {
  late_success: async (merchant) => {
    const { processor } = await merchant.pay('pm_card_chargeDeclined');
    return { kind: 'late_success', payment_intent: processor.id };
  },
  dispute_excess: async (merchant) => {
    const { id, processor } = await merchant.pay('pm_card_visa');
    await merchant.refund(id);
    return { kind: 'dispute_opened', payment_intent: processor.id };
  },
  // The refund had given the order free, and another payment has it when the money comes back.
  refund_failed_late: async (merchant, world) => {
    const { id, processor } = await merchant.pay('pm_card_visa');
    await merchant.refund(id);
    await merchant.pay('pm_card_visa', '-again');
    const book = await world.processor.book();
    const isOfIt = (parent: string | null) => parent === processor.id;
    const refund = book.find(({ operation, parent }) => operation === 'refund' && isOfIt(parent));
    return { kind: 'refund_failed', refund: refund?.id };
  },
};

/** Money that moves after everybody thought that it was over, once each: chance alone may leave one out. */
export async function lateNews(terms: Terms): Promise<PhaseResult> {
  const world = await terms.world();
  let told = 0;
  await whileTimeFlies(world, async () => {
    for (const [name, story] of Object.entries(STORIES)) {
      const merchant = new Merchant(world, `news-${terms.seed}-${name}`);
      const order = await story(merchant, world);
      if (await world.processor.event(order)) told += 1;
    }
  });
  return { line: `${told} of ${Object.keys(STORIES).length} kinds of late news`, findings: [] };
}
