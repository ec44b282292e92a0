import type { Call } from '../adapter.js';
import type { Bench, Intent } from '../bench.js';
import { Red, type Phase } from '../check.js';
import { replayOf, taken } from '../judge.js';
import type { Cut } from '../wire.js';

const SLOW_MS = 800;
/** From "the request has hardly left" to "the answer is on its way", on most machines. */
const CUTS_MS = [0, 1, 2, 4, 8, 16, 32, 64];

export const lost: Phase = {
  name: 'a client that hangs up, and asks again',
  together: true,
  checks: [
    {
      id: 'lost.instants',
      title: `cut at ${CUTS_MS.length} instants after the request: each acted once`,
      source: 'once',
      run: async (bench) => {
        const asked: (() => Promise<void>)[] = [];
        for (const afterMs of CUTS_MS) {
          const intent = bench.intent();
          const call = bench.adapter.create(intent.marker);
          asked.push(await cutThenRetry(bench, intent, call, { afterMs }));
        }
        // Only now, when most have their end: a client that asks at once is told to wait.
        for (const askAgain of asked) await askAgain();
      },
    },
    {
      id: 'lost.running',
      title: 'cut while it runs: acted once',
      source: 'once',
      run: async (bench) => {
        const slow = bench.need(bench.adapter.slow, 'how to make a request slow');
        const intent = bench.intent();
        const call = slow(intent.marker, SLOW_MS);
        const askAgain = await cutThenRetry(bench, intent, call, { afterMs: SLOW_MS / 2 });
        await askAgain();
      },
    },
    {
      id: 'lost.half-body',
      title: 'cut in the middle of the body: acted once, on the whole body',
      source: 'once',
      run: async (bench) => {
        const intent = bench.intent();
        const call = bench.adapter.create(intent.marker);
        const askAgain = await cutThenRetry(bench, intent, call, 'half_body');
        await askAgain();
      },
    },
  ],
};

/** Hangs up; what it returns asks again, and counts. Only the cut that went wrong is left to be shown. */
async function cutThenRetry(
  bench: Bench,
  intent: Intent,
  call: Call,
  cut: Cut,
): Promise<() => Promise<void>> {
  const remark =
    cut === 'half_body'
      ? 'and closes the connection in the middle of the body'
      : `and closes the connection ${cut.afterMs} ms after the last byte`;
  const exchange = await bench.exchange(call, intent.key, { cut, remark });
  return async () => {
    bench.exchanges.splice(0, bench.exchanges.length, exchange);
    const answer = taken(await bench.retried(call, intent.key));
    replayOf(answer, await bench.send(call, intent.key));
    await bench.holds(intent.marker, 1);
  };
}

/** The books once more, when nothing is under way: what came late counts as well. */
export const outcome: Phase = {
  name: 'the count at the end',
  checks: [
    {
      id: 'outcome.late',
      title: 'no intent of this run has got another effect since it was counted',
      source: 'once',
      run: async (bench) => {
        bench.remembers();
        for (const { check, marker, credential, effects } of bench.owed()) {
          const found = await bench.count(marker, credential);
          if (found > effects)
            throw new Red(`${marker} of ${check} had ${effects} effects, and has ${found}`);
        }
      },
    },
  ],
};
