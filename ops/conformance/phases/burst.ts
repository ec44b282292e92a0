import type { Bench } from '../bench.js';
import { Red, type Phase } from '../check.js';
import { isTaken, refused, replayOf, taken } from '../judge.js';
import type { Answer, Sent } from '../wire.js';

const ROUNDS = 2;
const EACH = 4;

export const parallel: Phase = {
  name: 'many processes at one instant',
  checks: [
    {
      id: 'burst.equal',
      title: 'equal requests: one effect, one answer, and no server error',
      source: 'once',
      run: (bench) => inRounds(bench, equal),
    },
    {
      id: 'burst.different',
      title: 'two bodies under one key: one of them acts, the other is refused',
      source: 'once',
      run: (bench) => inRounds(bench, different),
    },
  ],
};

async function inRounds(bench: Bench, round: (bench: Bench) => Promise<void>): Promise<void> {
  for (let rounds = 0; rounds < ROUNDS; rounds++) await round(bench);
}

async function equal(bench: Bench): Promise<void> {
  const { marker, key } = bench.intent();
  const call = bench.adapter.create(marker);
  const remark = remarkOf(bench);
  const sent = bench.request(call, key, { remark });
  const answers = await answersOf(bench, [sent]);
  const [one] = answers.filter(isTaken);
  for (const answer of answers) {
    if (!isTaken(answer)) refused(answer);
    else if (one) replayOf(one, answer);
  }
  const later = taken(await bench.retried(call, key));
  if (one) replayOf(one, later);
  await bench.holds(marker, 1);
}

async function different(bench: Bench): Promise<void> {
  const [left, right] = [bench.intent(), bench.intent()];
  const remark = remarkOf(bench);
  const sent = [left, right].map(({ marker }) =>
    bench.request(bench.adapter.create(marker), left.key, { remark }),
  );
  const answers = await answersOf(bench, sent);
  for (const answer of answers) if (!isTaken(answer)) refused(answer);
  const effects = [await bench.count(left.marker), await bench.count(right.marker)];
  if (effects[0] === effects[1] || Math.max(...effects) > 1)
    throw new Red(
      `the two bodies have ${effects.join(' and ')} effects, where one in all is right`,
    );
  const [won, lost] = effects[0] === 1 ? [left, right] : [right, left];
  taken(await bench.retried(bench.adapter.create(won.marker), left.key));
  refused(await bench.send(bench.adapter.create(lost.marker), left.key));
  await bench.holds(won.marker, 1);
  await bench.holds(lost.marker, 0);
}

/** All that came; the worst of them is kept for the report. */
async function answersOf(bench: Bench, sent: Sent[]): Promise<Answer[]> {
  const results = await bench.crowd().send(sent, bench.secretOf('KEY'), EACH);
  const worst = results.toSorted((a, b) => badness(b.answer) - badness(a.answer))[0];
  bench.exchanges.splice(0, bench.exchanges.length, ...(worst ? [worst] : []));
  return results.map(({ answer, lost }) => {
    if (answer === null) throw new Red(`no answer came: ${lost ?? 'unknown'}`);
    return answer;
  });
}

function badness(answer: Answer | null): number {
  return answer === null ? 1_000 : answer.status;
}

function remarkOf(bench: Bench): string {
  const { processes } = bench.target;
  return `one of ${processes * EACH} at one instant, from ${processes} processes`;
}
