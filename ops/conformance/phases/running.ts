import { membersOf, withMember } from '../body.js';
import type { Bench, Intent } from '../bench.js';
import { Red, type Phase } from '../check.js';
import { isRefused, isTaken, refused, replayOf, taken } from '../judge.js';
import type { Call } from '../adapter.js';
import type { Answer } from '../wire.js';

/** Long enough for a second request to come in, short enough to be waited for. */
const SLOW_MS = 1_000;
/** The second request starts so much later. Whichever comes first, the checks judge both answers alike. */
const LATER_MS = 200;

export const running: Phase = {
  name: 'a key whose first request still runs',
  together: true,
  checks: [
    {
      id: 'running.same',
      title: 'a repeat waits for the answer or is told to come back, and one effect is left',
      source: 'draft',
      run: async (bench) => {
        const { intent, call } = slowIntent(bench);
        const [first, second] = await together(bench, intent, call, call);
        const done = [first, second].filter(isTaken);
        const [one, other] = done;
        if (one === undefined) throw new Red('none of the two was taken');
        if (other !== undefined) replayOf(one, other);
        else refused(isTaken(first) ? second : first);
        replayOf(one, taken(await bench.retried(call, intent.key)));
        await bench.holds(intent.marker, 1);
      },
    },
    {
      id: 'running.hint',
      title: 'a repeat that is told to come back is told when',
      source: 'practice',
      run: async (bench) => {
        const { intent, call } = slowIntent(bench);
        const answers = await together(bench, intent, call, call);
        for (const { status, headers } of answers.filter(isRefused)) {
          if (headers['retry-after'] === undefined)
            throw new Red(`status ${status} without Retry-After`);
        }
      },
    },
    {
      id: 'running.other-body',
      title: 'another body is refused as it is once the first is done, not put off',
      source: 'practice',
      run: otherBodyWhileRunning,
    },
  ],
};

function slowIntent(bench: Bench): { intent: Intent; call: Call } {
  const slow = bench.need(bench.adapter.slow, 'how to make a request slow');
  const intent = bench.intent();
  return { intent, call: slow(intent.marker, SLOW_MS) };
}

async function together(
  bench: Bench,
  { key }: Intent,
  first: Call,
  second: Call,
): Promise<[Answer, Answer]> {
  const started = bench.send(first, key, { remark: `runs for ${SLOW_MS} ms; meanwhile:` });
  started.catch(() => {}); // awaited below; it may fail before that
  await new Promise((resolve) => setTimeout(resolve, LATER_MS));
  return Promise.all([started, bench.send(second, key)]);
}

async function otherBodyWhileRunning(bench: Bench): Promise<void> {
  const name = bench.need(bench.adapter.textMember, 'its textMember');
  const { intent, call } = slowIntent(bench);
  const members = membersOf(call.body);
  const other = { ...call, body: { ...call.body, [name]: 'another text' } };
  const [first, second] = await together(bench, intent, call, other);
  const [won, lost] = isTaken(first) ? [call, second] : [other, first];
  if ([first, second].every(isTaken)) throw new Red('both bodies were taken under one key');
  refused(lost);
  taken(await bench.retried(won, intent.key));
  const later = await bench.send(won, intent.key, {
    body: withMember(members, name, '"a third text"'),
  });
  if (later.status !== lost.status)
    throw new Red(`status ${lost.status} while the first ran, and ${later.status} afterwards`);
  await bench.holds(intent.marker, 1);
}
