import type { Order, Start, Told } from './burst.js';
import { sendOnWire } from './wire.js';

/** One process of a burst: takes its order, says that it is ready, waits for the instant, sends. */
let order: Order | null = null;

process.on('message', (word: Order | Start) => {
  if ('sent' in word) {
    order = word;
    process.send?.('ready' satisfies Told);
  } else if (order) void sendAt(order, word).then((told: Told) => process.send?.(told));
});
process.on('disconnect', () => process.exit());

async function sendAt({ sent, secret, patienceMs }: Order, { atMs }: Start): Promise<Told> {
  while (Date.now() < atMs); // a timer would be a millisecond late, and not by the same in each process
  return Promise.all(
    sent.map(async (request) => {
      const result: { answer: null | Awaited<ReturnType<typeof sendOnWire>>; lost?: string } = {
        answer: null,
      };
      const body = request.body && { bytes: Buffer.from(request.body.bytes) };
      result.answer = await sendOnWire({ ...request, body }, secret, {
        patienceMs,
        lost: (why) => (result.lost = why),
      });
      return result;
    }),
  );
}
