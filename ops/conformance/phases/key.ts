import type { Bench, Intent } from '../bench.js';
import { Red, type Check, type Phase } from '../check.js';
import { isRefused, isTaken, paid, refused, replayOf, taken } from '../judge.js';
import type { Answer, Headers } from '../wire.js';

export const missingKey: Phase = {
  name: 'missing key',
  checks: [
    {
      id: 'missing.absent',
      title: 'a request without a key is refused, and does nothing',
      source: 'draft',
      run: (bench) => refusedWith(bench, () => []),
    },
    {
      id: 'missing.empty',
      title: 'so is one whose key is empty',
      source: 'draft',
      run: (bench) => refusedWith(bench, () => bench.keyLine('')),
    },
    {
      id: 'missing.blank',
      title: 'or blank',
      source: 'draft',
      run: (bench) => refusedWith(bench, () => bench.keyLine(' \t ')),
    },
  ],
};

export const malformedKey: Phase = {
  name: 'malformed and doubled keys',
  checks: [
    {
      id: 'malformed.doubled-equal',
      title: 'two equal key lines are refused, or are that one key; never a third',
      source: 'once',
      run: doubledEqual,
    },
    {
      id: 'malformed.doubled-different',
      title: 'two different key lines are refused',
      source: 'draft',
      run: (bench) =>
        refusedWith(bench, ({ key }) => [...bench.keyLine(key), ...bench.keyLine(`${key}-b`)]),
    },
    {
      id: 'malformed.list',
      title: 'a key with a comma is refused: proxies join two lines so',
      source: 'practice',
      run: (bench) => refusedWith(bench, ({ key }) => bench.keyLine(`${key}, ${key}-b`)),
    },
    {
      id: 'malformed.not-ascii',
      title: 'a key with letters beyond ASCII is refused',
      source: 'draft',
      run: (bench) => refusedWith(bench, ({ key }) => bench.keyLine(`${key}-\u00e9`)),
    },
    {
      id: 'malformed.longest',
      title: 'the longest key works, and its last letter counts',
      source: 'once',
      run: (bench) => lastLetterCounts(bench, bench.adapter.keyLengthMax, { mayRefuse: false }),
    },
    {
      id: 'malformed.too-long',
      title: 'a longer key is refused, or its last letter counts too',
      source: 'once',
      run: (bench) => lastLetterCounts(bench, bench.adapter.keyLengthMax + 1, { mayRefuse: true }),
    },
    {
      id: 'malformed.case',
      title: 'keys that differ in upper and lower case are two keys',
      source: 'once',
      run: async (bench) => {
        const { intent, call } = await paid(bench);
        taken(await bench.retried(call, intent.key.toUpperCase()));
        await bench.holds(intent.marker, 2);
      },
    },
    quoted(),
  ],
};

async function refusedWith(bench: Bench, lines: (intent: Intent) => Headers): Promise<void> {
  const intent = bench.intent();
  const call = bench.adapter.create(intent.marker);
  const answer = await bench.send(call, intent.key, { keyLines: lines(intent) });
  refused(answer);
  await bench.holds(intent.marker, 0);
}

async function doubledEqual(bench: Bench): Promise<void> {
  const intent = bench.intent();
  const call = bench.adapter.create(intent.marker);
  const line = bench.keyLine(intent.key);
  const doubled = await bench.send(call, intent.key, { keyLines: [...line, ...line] });
  if (doubled.status >= 500) throw new Red(`status ${doubled.status}`);
  taken(await bench.retried(call, intent.key));
  await bench.holds(intent.marker, 1);
}

/** Two keys of that length, equal but for the last letter: two intents, or both refused. */
async function lastLetterCounts(
  bench: Bench,
  length: number,
  { mayRefuse }: { mayRefuse: boolean },
): Promise<void> {
  const intent = bench.intent();
  const call = bench.adapter.create(intent.marker);
  const long = intent.key.padEnd(length - 1, 'x');
  const first = await bench.send(call, `${long}a`);
  if (mayRefuse && isRefused(first)) return bench.holds(intent.marker, 0);
  const second = await bench.send(call, `${long}b`);
  for (const answer of [first, second]) taken(answer);
  const again = await bench.send(call, `${long}a`);
  replayOf(first, again);
  await bench.holds(intent.marker, 2);
}

/** The draft writes a key in quotes; most clients do not. A client that starts to must not pay again. */
function quoted(): Check {
  return {
    id: 'malformed.quoted',
    title: 'a key first sent bare and then in quotes does not act twice',
    source: 'practice',
    run: async (bench) => {
      const { intent, call, first } = await paid(bench);
      const again: Answer = await bench.send(call, `"${intent.key}"`);
      await bench.holds(intent.marker, 1);
      if (isTaken(again)) replayOf(first, again);
      else refused(again);
    },
  };
}
