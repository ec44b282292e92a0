import { withMember, membersOf } from '../body.js';
import type { Bench } from '../bench.js';
import { createdOf } from '../bench.js';
import { NotApplicable, Red, type Phase } from '../check.js';
import { isTaken, paid, refused, replayOf, taken } from '../judge.js';

export const replay: Phase = {
  name: 'replay',
  checks: [
    {
      id: 'replay.bytes',
      title: 'a repeat gets the same status and the same bytes, and does nothing',
      source: 'draft',
      run: async (bench) => {
        const { intent, call, first } = await paid(bench);
        for (const again of [
          await bench.send(call, intent.key),
          await bench.send(call, intent.key),
        ])
          replayOf(first, again);
        await bench.holds(intent.marker, 1);
      },
    },
    {
      id: 'replay.headers',
      title: 'with the same Content-Type and Location',
      source: 'practice',
      run: async (bench) => {
        const { intent, call, first } = await paid(bench);
        const again = await bench.send(call, intent.key);
        for (const name of ['content-type', 'location']) {
          if (first.headers[name] !== again.headers[name])
            throw new Red(`${name} was ${first.headers[name]} and is ${again.headers[name]}`);
        }
      },
    },
    {
      id: 'replay.mark',
      title: 'and with a header that says so, which the first answer has not',
      source: 'practice',
      run: async (bench) => {
        const header = bench.adapter.replayHeader?.toLowerCase();
        const { intent, call, first } = await paid(bench);
        const again = await bench.send(call, intent.key);
        if (header === undefined) throw new Red('the service marks no replays');
        if (first.headers[header] !== undefined)
          throw new Red(`the first answer has ${header} already`);
        if (again.headers[header] === undefined) throw new Red(`the repeat has no ${header}`);
      },
    },
    {
      id: 'replay.fresh-key',
      title: 'a fresh key with the same body is a new intent',
      source: 'once',
      run: async (bench) => {
        const { intent, call } = await paid(bench);
        taken(await bench.retried(call, bench.intent().key));
        await bench.holds(intent.marker, 2);
      },
    },
  ],
};

export const conflict: Phase = {
  name: 'a finished key with another request',
  checks: [
    {
      id: 'conflict.number',
      title: 'another amount is refused, and the first answer stays',
      source: 'draft',
      run: (bench) => {
        const name = bench.need(bench.adapter.numberMember, 'its numberMember');
        return otherBody(bench, name, (was) => String(Number(was) + 1));
      },
    },
    {
      id: 'conflict.text',
      title: 'so is another description',
      source: 'draft',
      run: (bench) => {
        const name = bench.need(bench.adapter.textMember, 'its textMember');
        return otherBody(bench, name, () => '"another text"');
      },
    },
    {
      id: 'conflict.nested',
      title: 'another value inside an object',
      source: 'draft',
      run: (bench) => {
        const name = bench.need(bench.adapter.objectMember, 'its objectMember');
        return otherBody(bench, name, (was) =>
          JSON.stringify({ ...(JSON.parse(was) as object), more: 'yes' }),
        );
      },
    },
    {
      id: 'conflict.route',
      title: 'another route under the same key is refused',
      source: 'practice',
      run: async (bench) => {
        const otherRoute = bench.need(bench.adapter.otherRoute, 'a request to another route');
        const { intent, call, first } = await paid(bench);
        const other = otherRoute(createdOf(first));
        refused(await bench.send(other, intent.key));
        replayOf(first, await bench.send(call, intent.key));
        await bench.holds(intent.marker, 1);
      },
    },
    {
      id: 'conflict.silent',
      title: 'a refusal of another body shows nothing of the first answer',
      source: 'practice',
      run: refusalIsSilent,
    },
  ],
};

async function otherBody(
  bench: Bench,
  name: string,
  change: (text: string) => string,
): Promise<void> {
  const { intent, call, first } = await paid(bench);
  const members = membersOf(call.body);
  const was = members.find(([known]) => known === name)?.[1] ?? '{}';
  refused(await bench.send(call, intent.key, { body: withMember(members, name, change(was)) }));
  replayOf(first, await bench.send(call, intent.key));
  await bench.holds(intent.marker, 1);
}

/** Whoever guesses a key must not read by it what another body had made. */
async function refusalIsSilent(bench: Bench): Promise<void> {
  const name = bench.adapter.numberMember ?? bench.adapter.textMember;
  if (name === undefined) throw new NotApplicable('the adapter names no member to change');
  const { intent, call, first } = await paid(bench);
  const members = membersOf(call.body);
  const was = members.find(([known]) => known === name)?.[1] ?? '""';
  const text = was.startsWith('"') ? '"another text"' : String(Number(was) + 1);
  const other = await bench.send(call, intent.key, { body: withMember(members, name, text) });
  if (isTaken(other)) throw new Red(`status ${other.status}, where a refusal (4xx) is right`);
  if (first.bytes.length > 0 && other.bytes.includes(first.bytes))
    throw new Red('the refusal holds the first answer');
}
