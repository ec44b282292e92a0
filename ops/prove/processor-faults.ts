import { setTimeout as pause } from 'node:timers/promises';
import type { Fault, Strike } from './nemesis.js';

/** What it does to every request for a while, as `_control/faults` names it. */
const FAULTS_OF_ALL = [
  'lose_request',
  'lose_response',
  'timeout_charged',
  'timeout_not_charged',
  'error_charged',
  'error_not_charged',
  'garbage',
  'busy',
  'down',
  'slow_400',
  'slow_1900',
] as const;
/** How it treats keys. One that forgets keys or ignores them is told of in the settings, and is not this one. */
const MODES = [
  'pin_5xx',
  'running_409',
  'running_422',
  'running_429',
  'limiter_before_keys',
  'current_state_replay',
  'not_found_window',
  'stored_io_error',
] as const;

export const PROCESSOR_FAULTS: readonly Fault[] = [
  {
    name: 'processor',
    gapMs: 3_000,
    strike: async ({ world, choices }) => {
      const fault = choices.of(FAULTS_OF_ALL);
      const times = choices.between(1, 12);
      world.journal.note('processor', 'processor', `${fault} × ${times}`);
      world.journal.count(`processor ${fault}`);
      await world.processor.faults({ fault, times });
      await pause(choices.between(300, 2_500));
      await world.processor.faults({});
    },
  },
  {
    name: 'processor-mode',
    gapMs: 6_000,
    strike: async ({ world, choices }) => {
      const mode = choices.of(MODES);
      const fault = choices.happens(0.6) ? choices.of(FAULTS_OF_ALL) : null;
      const windowMs = mode === 'not_found_window' ? { window_ms: 1_000 } : {};
      world.journal.note('processor-mode', 'processor', `${mode} with ${fault ?? 'no fault'}`);
      world.journal.count(`processor ${mode}`);
      const times = fault === null ? {} : { fault, times: choices.between(1, 8) };
      await world.processor.faults({ mode, ...windowMs, ...times });
      await pause(choices.between(800, 4_000));
      await world.processor.faults({});
    },
  },
  {
    name: 'processor-down',
    gapMs: 15_000,
    strike: async ({ world, choices }) => {
      const ms = choices.between(200, 3_000);
      world.journal.note('processor-down', 'processor', `refuses connections for ${ms} ms`);
      await world.processor.faults({ fault: 'refuse', for_ms: ms });
      await pause(ms + 100);
      await world.processor.faults({});
    },
  },
  {
    name: 'webhooks',
    gapMs: 4_000,
    strike: async ({ world, choices }) => {
      const settings = {
        copies: choices.of([1, 1, 2, 5]),
        delay_ms: choices.of([0, 0, 500, 3_000]),
        order: choices.of(['normal', 'reversed', 'shuffled'] as const),
        before_answer: choices.happens(0.4),
        two_ids: choices.happens(0.2),
        drop: choices.happens(0.2),
        seed: choices.between(1, 1_000_000),
      };
      world.journal.note('webhooks', 'processor', JSON.stringify(settings));
      await world.processor.webhooks(settings);
      await pause(choices.between(500, 4_000));
      await world.processor.webhooks({});
    },
  },
  {
    name: 'events',
    gapMs: 1_500,
    strike: async (strike) => {
      const { world, choices } = strike;
      const kind = choices.of(EVENTS);
      const target = await targetOf(kind, strike);
      if (target === null) return;
      const amount = kind === 'dispute_opened' && choices.happens(0.4) ? { amount: 50 } : {};
      const order = { kind, ...target, ...amount };
      const done = await world.processor.event(order);
      if (done) world.journal.note('event', 'processor', kind);
      if (done) world.journal.count(`event ${kind}`);
    },
  },
];

const EVENTS = [
  'dispute_opened',
  'dispute_opened',
  'dispute_won',
  'dispute_lost',
  'late_success',
  'authorization_expired',
  'refund_failed',
  'unknown_type',
  'not_ours',
] as const;

/** What an event of this kind happens to; null when there is nothing yet. */
async function targetOf(kind: string, { world, choices, seen }: Strike): Promise<object | null> {
  if (kind === 'unknown_type' || kind === 'not_ours') return {};
  if (kind !== 'refund_failed')
    return seen.length > 0 ? { payment_intent: choices.of(seen) } : null;
  const book = await world.processor.book();
  const refunds = book.filter(({ operation }) => operation === 'refund').slice(-50);
  return refunds.length > 0 ? { refund: choices.of(refunds).id } : null;
}
