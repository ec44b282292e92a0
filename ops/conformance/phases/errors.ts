import type { Bench } from '../bench.js';
import { NotApplicable, Red, type Phase } from '../check.js';
import { refused, replayOf, taken } from '../judge.js';

export const errors: Phase = {
  name: 'what must not be pinned to a key, and what must',
  together: true,
  checks: [
    {
      id: 'errors.validation',
      title: 'after a validation error the repaired request runs under the same key',
      source: 'practice',
      run: async (bench) => {
        const invalid = bench.need(bench.adapter.invalid, 'an invalid request');
        const { marker, key } = bench.intent();
        refused(await bench.send(invalid(marker), key));
        taken(await bench.retried(bench.adapter.create(marker), key));
        await bench.holds(marker, 1);
      },
    },
    {
      id: 'errors.server',
      title: 'a server error is not the answer for ever',
      source: 'practice',
      run: async (bench) => {
        const failsOnce = bench.need(bench.adapter.failsOnce, 'a request that fails at first');
        const { marker, key } = bench.intent();
        const call = failsOnce(marker);
        const first = await bench.send(call, key);
        if (first.status < 500)
          throw new Red(`status ${first.status}, where the adapter promised a server error first`);
        taken(await bench.retried(call, key));
        await bench.holds(marker, 1);
      },
    },
    {
      id: 'errors.declined',
      title: 'a refusal for good stays the same, byte for byte',
      source: 'practice',
      run: async (bench) => {
        const declined = bench.need(bench.adapter.declined, 'a request that is declined');
        const { marker, key } = bench.intent();
        const call = declined(marker);
        const first = refused(await bench.retried(call, key));
        replayOf(first, await bench.send(call, key));
        await bench.holds(marker, 0);
      },
    },
  ],
};

/** Its crowd would turn other checks away. */
export const limiter: Phase = {
  name: 'a limiter',
  checks: [
    {
      id: 'errors.limit',
      title: 'a limiter that said no is not the answer for ever',
      source: 'practice',
      run: limited,
    },
  ],
};

/** Slow enough for the crowd to be in before the first of it leaves. */
const SLOW_MS_MIN = 1_500;
const SLOW_MS_EACH = 15;

/** Fills the account's limit with slow requests of other keys, and asks for one more. */
async function limited(bench: Bench): Promise<void> {
  const { inFlight } = bench.need(bench.adapter.limit, 'its limit');
  const slow = bench.need(bench.adapter.slow, 'how to make a request slow');
  const slowMs = Math.max(SLOW_MS_MIN, inFlight * SLOW_MS_EACH);
  const intents = Array.from({ length: inFlight + Math.ceil(inFlight / 10) }, () => bench.intent());
  const remark = `one of ${intents.length} at once, each with a key of its own`;
  const tries = await Promise.all(
    intents.map(async ({ marker, key }) => ({
      marker,
      key,
      exchange: await bench.exchange(slow(marker, slowMs), key, { remark }),
    })),
  );
  const turnedAway = tries.find(({ exchange }) => exchange.answer?.status === 429);
  // Of the crowd, the one that was turned away is what a reader wants to see.
  const shown = turnedAway ?? tries[0];
  bench.exchanges.splice(0, bench.exchanges.length, ...(shown ? [shown.exchange] : []));
  if (turnedAway === undefined)
    throw new NotApplicable(`none of ${intents.length} requests at once reached the limit`);
  const { marker, key } = turnedAway;
  taken(await bench.retried(slow(marker, slowMs), key));
  await bench.holds(marker, 1);
}
