import type { ClientPlan, Plan, Wish } from './plan.js';
import { Listed } from './policy.js';
import { type Result, runSchedule } from './run.js';
import type { Stage } from './stage.js';
import { Stream } from './stream.js';

/** A calm run that departs from calm at one choice, or at two. */
type Departure = { plan: Plan; choices: number[] };

/**
 * Everything that can happen instead at one choice of a calm run, one after the other, and so at each choice of each
 * plan: every fault of every step, every crash, pass and jump of the clock in front of it. Then pairs of them, drawn.
 * `mine` deals them out to several processes.
 */
export async function* departures(
  stage: Stage,
  pairs: number,
  mine: (index: number) => boolean,
): AsyncGenerator<Result> {
  let index = 0;
  for (const plan of PLANS) {
    const calm = await run(stage, { plan, choices: [] });
    const singles: Result[] = [];
    for (const departure of departingFrom(calm, 0)) {
      if (!mine((index += 1))) continue;
      const result = await run(stage, departure);
      singles.push(result);
      yield result;
      // A step that was only there to be chosen has ends of its own: they belong to the same single fault.
      for (const other of departingAt(result, departure.choices.length)) yield run(stage, other);
    }
    const stream = new Stream(`pairs of ${plan.seed}`);
    const share = Math.ceil(pairs / PLANS.length);
    for (let count = 0; count < share && singles.length > 0; count += 1) {
      const first = stream.pick(singles);
      const seconds = [...departingFrom(first, first.choices.findLastIndex(Boolean) + 1)];
      if (!mine(count) || seconds.length === 0) continue;
      yield run(stage, stream.pick(seconds));
    }
  }
}

function run(stage: Stage, { plan, choices }: Departure): Promise<Result> {
  return runSchedule(stage, plan, new Listed(choices));
}

function* departingFrom(result: Result, from: number): Generator<Departure> {
  for (let at = from; at < result.choices.length; at += 1) yield* departingAt(result, at);
}

function* departingAt({ plan, choices, arities }: Result, at: number): Generator<Departure> {
  for (let choice = 1; choice < (arities[at] ?? 0); choice += 1)
    yield { plan, choices: [...choices.slice(0, at), choice] };
}

const KEY = 'one';

/** One payment each, and one client but for the last. */
const PLANS: readonly Plan[] = [
  planOfOne('charge', [{ wishes: [charge({})] }]),
  planOfOne('decline', [{ wishes: [charge({ payment_method: 'pm_card_chargeDeclined' })] }]),
  planOfOne('capture', [{ wishes: [charge({ capture: 'manual' }), step('capture')] }]),
  planOfOne('void', [{ wishes: [charge({ capture: 'manual' }), step('cancel')] }]),
  planOfOne('refund', [{ wishes: [charge({}), step('refund')] }]),
  planOfOne('twice', [{ wishes: [charge({})] }, { wishes: [charge({})] }]),
];

function planOfOne(seed: string, clients: Pick<ClientPlan, 'wishes'>[]): Plan {
  return {
    seed,
    clients: clients.map(({ wishes }, n) => ({ name: `client${n + 1}`, account: 0, wishes })),
    apis: 2,
    workers: 1,
    mode: 'normal',
    lateSuccessPolicy: 'review',
    delivers: 0,
    bank: false,
  };
}

function charge(more: Record<string, unknown>): Wish {
  const body = { amount: 2_500, currency: 'myr', payment_method: 'pm_card_visa', order_id: KEY };
  const rest = { key: KEY, of: KEY, headers: {}, otherBody: false };
  return { kind: 'charge', body: { ...body, ...more }, ...rest };
}

function step(kind: Wish['kind']): Wish {
  return { kind, key: `${KEY}-${kind}`, of: KEY, body: {}, headers: {}, otherBody: false };
}
