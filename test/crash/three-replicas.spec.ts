import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Heard, differences } from '#testing/all-books.js';
import { ProcessSystem } from '#testing/process-system.js';
import { Replicas } from '#testing/replicas.js';
import { type Intent, payUntilFinal } from '#testing/round-robin-client.js';
import { until } from '#testing/until.js';
import { Balancer } from '../../ops/prove/balancer.js';
import { seeded } from '../../ops/seeded.js';

/** `npm run soak` sets these two; without them the run is short, and its seed a new one. */
const SECONDS = Number(process.env['SOAK_SECONDS'] ?? 12);
const SEED = Number(process.env['SOAK_SEED'] ?? Date.now() % 1_000_000);

const CLIENTS = 12;
const ENV = { VISIBILITY_WINDOW_MS: '1500', ACCOUNT_IN_FLIGHT_MAX: '200' };
/** Plain ones most often, as in life; of the others each in its turn. */
const METHODS = [
  'pm_card_chargeDeclinedInsufficientFunds',
  'pm_test_lose_response',
  'pm_test_timeout_charged',
  'pm_test_error_charged',
  'pm_test_error_not_charged',
  'pm_test_lose_request',
  'pm_test_garbage',
  'pm_test_busy',
  'pm_test_down',
  'pm_test_slow_700',
  'pm_card_chargeDeclined',
];

describe('three replicas of API and worker, two of them killed at random', () => {
  let balancer: Balancer;
  let system: ProcessSystem;
  let replicas: Replicas;
  const heard = new Map<string, Heard[]>();
  let ended = 0;
  beforeAll(async () => {
    balancer = await Balancer.start(() => replicas?.nextApi().url ?? '');
    system = await ProcessSystem.start({ webhooksTo: balancer.url });
    replicas = await Replicas.start(system, 3, ENV);
  });
  afterAll(async () => {
    await replicas?.close();
    await system?.close();
    balancer.close();
  });

  it(
    `for ${SECONDS} s under load lose nothing, double nothing, and finish every intent (seed ${SEED})`,
    async () => {
      const over = new AbortController();
      const timer = setTimeout(() => over.abort(), SECONDS * 1_000);
      const told = setInterval(() => tell(), 5_000);
      const clients = Array.from({ length: CLIENTS }, (_, client) =>
        keepPaying(client, over.signal),
      );
      try {
        await killAtRandom(over.signal);
        await Promise.all([...clients, leasesEndSooner(Promise.all(clients))]);
        await untilQuiet();
      } finally {
        clearTimeout(timer);
        clearInterval(told);
        over.abort();
      }
      tell();
      expect(replicas.kills, 'processes killed').toBeGreaterThanOrEqual(2);
      expect(heard.size, 'intents').toBeGreaterThanOrEqual(CLIENTS);
      expect(await differences(system, heard), `with seed ${SEED}`).toEqual([]);
    },
    SECONDS * 1_000 + 240_000,
  );

  /** One intent after the other; every fourth is sent by two clients at once. */
  async function keepPaying(client: number, over: AbortSignal): Promise<void> {
    for (let n = 0; !over.aborted; n++) {
      const intent = intentOf(client, n);
      const senders = n % 4 === 3 ? [1, 2] : [1];
      const all = await Promise.all(senders.map(() => payUntilFinal(system, replicas, intent)));
      heard.set(intent.key, all.flat());
      ended++;
    }
  }

  function intentOf(client: number, n: number): Intent {
    const random = seeded(SEED + client * 10_007 + n);
    const odd = METHODS[Math.floor(random() * METHODS.length)]!;
    const key = `seed-${SEED}-client-${client}-${n}`;
    const body = {
      amount: 100 + Math.floor(random() * 100_000),
      order_id: key,
      payment_method: random() < 0.6 ? 'pm_123' : odd,
    };
    return { key, body, headers: random() < 0.15 ? { prefer: 'respond-async' } : {} };
  }

  /** Two of the three at a time, API or worker or both, each at a moment of its own. */
  async function killAtRandom(over: AbortSignal): Promise<void> {
    const random = seeded(SEED);
    while (!over.aborted) {
      const spared = Math.floor(random() * replicas.count);
      const victims = [0, 1, 2].filter((index) => index !== spared);
      const deaths = victims.map((index) => ({
        index,
        afterMs: random() * 1_500,
        which: random(),
      }));
      await Promise.all(
        deaths.map(async ({ index, afterMs, which }) => {
          await pause(afterMs);
          const both = ['api', 'worker'] as const;
          const dying = which < 0.4 ? both : [both[which < 0.75 ? 0 : 1]];
          await Promise.all(dying.map((name) => replicas.kill(index, name)));
        }),
      );
    }
  }

  /** What dead processes held need not be waited for by a real clock. */
  async function leasesEndSooner(over: Promise<unknown>): Promise<void> {
    let waiting = true;
    void over.then(
      () => (waiting = false),
      () => (waiting = false),
    );
    while (waiting) {
      await system.advance(1_000);
      await pause(500);
    }
  }

  /** Nothing is left to do, in the queue, the inbox or the list of what nobody knows yet. */
  async function untilQuiet(): Promise<void> {
    await until(async () => {
      await system.advance(500);
      const { rows } = await system.owner.query(`SELECT
        (SELECT count(*) FROM payments WHERE status = 'pending')
        + (SELECT count(*) FROM webhook_inbox WHERE state = 'received')
        + (SELECT count(*) FROM unresolved) AS left`);
      return Number(rows[0].left) === 0;
    }, 90_000);
  }

  function tell(): void {
    if (process.env['SOAK_SECONDS'] === undefined) return;
    process.stderr.write(`${ended} intents final, ${replicas.kills} processes killed\n`);
  }
});
