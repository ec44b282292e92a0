import { membersOf, textBody, withMember, type Members } from '../body.js';
import type { Bench } from '../bench.js';
import { Red, type Check, type Phase, type Source } from '../check.js';
import { isRefused, isTaken, paid, refused, replayOf, taken } from '../judge.js';
import type { Body } from '../wire.js';

export const sameBody: Phase = {
  name: 'one body, spelled in two ways',
  checks: [
    same('body.order', 'members in another order are the same body', (_, members) =>
      members.toReversed(),
    ),
    same('body.nested-order', 'inside an object too', (bench, members) => {
      const name = bench.need(bench.adapter.objectMember, 'its objectMember');
      const was = JSON.parse(valueOf(members, name, '{}')) as Record<string, unknown>;
      return {
        first: withMember(members, name, JSON.stringify({ ...was, b: 'x', a: 'y' })),
        again: withMember(members, name, JSON.stringify({ a: 'y', b: 'x', ...was })),
      };
    }),
    same('body.spaces', 'so is one with other white space', (_, members) => {
      const lines = members.map(([name, text]) => `\t"${name}" : ${text}`);
      return textBody(` {\n${lines.join(',\r\n')}\n}\n`);
    }),
    ...['.0', 'e0', '00e-2'].map((end) =>
      same(
        `body.number-${{ '.0': 'fraction', e0: 'exponent', '00e-2': 'negative-exponent' }[end]}`,
        `2500${end} is 2500, or is always refused`,
        (bench, members) => {
          const name = bench.need(bench.adapter.numberMember, 'its numberMember');
          return withMember(members, name, `${valueOf(members, name, '0')}${end}`);
        },
      ),
    ),
    same('body.escapes', 'an escaped letter is that letter', (bench, members) =>
      textPair(bench, members, '"A/b"', '"\\u0041\\/b"'),
    ),
  ],
};

/** RFC 8785 reads numbers as doubles, so it takes these for equal; whoever moves money should not. */
const BY_PRACTICE = 'practice';

export const otherBody: Phase = {
  name: 'two bodies that are easily taken for one',
  checks: [
    different('body.composed', 'a composed and a decomposed letter', (bench, members) =>
      textPair(bench, members, '"caf\u00e9"', '"cafe\u0301"'),
    ),
    different('body.null', 'null and nothing', (bench, members) => {
      const name = bench.need(bench.adapter.textMember, 'its textMember');
      const without = members.filter(([known]) => known !== name);
      return { first: without, again: [...without, [name, 'null']] };
    }),
    different('body.text-number', 'a number and its digits as a text', (bench, members) =>
      numberPair(bench, members, '2500', '"2500"'),
    ),
    different(
      'body.tiny-fraction',
      '2500 and 2500.00000000000000000001',
      (bench, members) => numberPair(bench, members, '2500', '2500.00000000000000000001'),
      BY_PRACTICE,
    ),
    different(
      'body.beyond-double',
      '9007199254740992 and 9007199254740993',
      (bench, members) => numberPair(bench, members, '9007199254740992', '9007199254740993'),
      BY_PRACTICE,
    ),
    different(
      'body.infinite',
      '1e400 and 1e999',
      (bench, members) => numberPair(bench, members, '1e400', '1e999'),
      BY_PRACTICE,
    ),
    different('body.surrogates', 'two lone surrogates', (bench, members) =>
      textPair(bench, members, '"\\ud800"', '"\\udfff"'),
    ),
    different('body.not-utf8', 'two bytes that are not UTF-8', (bench, members) => {
      const { first, again } = textPair(bench, members, '"\u00fe"', '"\u00ff"');
      const latin1 = (texts: Members): Body => ({
        bytes: Buffer.from(
          `{${texts.map(([name, text]) => `"${name}":${text}`).join(',')}}`,
          'latin1',
        ),
      });
      return { first: latin1(first), again: latin1(again) };
    }),
  ],
};

type Spelled = Body | Members;
type Pair = { first: Spelled; again: Spelled };
/** One spelling, to be compared with the body as the adapter gave it, or two. */
type Spell = (bench: Bench, members: Members) => Spelled | Pair;

/** The second spelling gets the first one's answer; or it is refused, and then under a fresh key too. */
function same(id: string, title: string, spell: Spell): Check {
  const run = async (bench: Bench): Promise<void> => {
    const { intent, call, pair } = spelled(bench, spell);
    const first = taken(await bench.retried(call, intent.key, { body: pair.first }));
    const again = await bench.send(call, intent.key, { body: pair.again });
    if (isRefused(again)) {
      const fresh = await bench.send(call, bench.intent().key, { body: pair.again });
      if (!isRefused(fresh))
        throw new Red(
          `status ${again.status}, although under a fresh key the same text gets ${fresh.status}`,
        );
    } else replayOf(first, again);
    await bench.holds(intent.marker, 1);
  };
  return { id, title, source: 'json', run };
}

/** Where the first is taken, the second is refused; a service may refuse the first as well. */
function different(id: string, title: string, spell: Spell, source: Source = 'json'): Check {
  const run = async (bench: Bench): Promise<void> => {
    const { intent, call, pair } = spelled(bench, spell);
    const first = await bench.send(call, intent.key, { body: pair.first });
    if (first.status >= 500) throw new Red(`status ${first.status} for the first of the two`);
    const again = await bench.send(call, intent.key, { body: pair.again });
    if (isTaken(first)) refused(again);
    else if (again.status >= 500) throw new Red(`status ${again.status} for the second of the two`);
    await bench.holds(intent.marker, isTaken(first) ? 1 : isTaken(again) ? 1 : 0);
  };
  return { id, title: `${title} are two bodies`, source, run };
}

function spelled(bench: Bench, spell: Spell) {
  const intent = bench.intent();
  const call = bench.adapter.create(intent.marker);
  const members = membersOf(call.body);
  const given = spell(bench, members);
  const pair: Pair = 'first' in given ? given : { first: members, again: given };
  return { intent, call, pair };
}

function textPair(bench: Bench, members: Members, first: string, again: string) {
  const name = bench.need(bench.adapter.textMember, 'its textMember');
  return { first: withMember(members, name, first), again: withMember(members, name, again) };
}

function numberPair(bench: Bench, members: Members, first: string, again: string): Pair {
  const name = bench.need(bench.adapter.numberMember, 'its numberMember');
  return { first: withMember(members, name, first), again: withMember(members, name, again) };
}

function valueOf(members: Members, name: string, otherwise: string): string {
  return members.find(([known]) => known === name)?.[1] ?? otherwise;
}

export const parser: Phase = {
  name: 'bodies that no service should act on',
  checks: [
    turnedAway(
      'parser.duplicate',
      'a member that comes twice',
      (bench, members) => {
        const name = bench.need(bench.adapter.numberMember, 'its numberMember');
        return [[name, '1'], ...members];
      },
      'json',
    ),
    turnedAway('parser.proto', 'a member named __proto__, escaped too', (_, members) => {
      const inside = members.map(([name, text]) => `"${name}":${text}`).join(',');
      return textBody(`{"\\u005f_proto__":{"x":1},${inside}}`);
    }),
    turnedAway('parser.nul', 'a NUL in a text', (bench, members) => {
      const name = bench.need(bench.adapter.textMember, 'its textMember');
      return withMember(members, name, '"a\\u0000b"');
    }),
    turnedAway('parser.deep', '5,000 arrays within each other', (bench, members) => {
      const name = bench.need(bench.adapter.objectMember, 'its objectMember');
      const deep = withMember(members, name, `${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}`);
      const text = `{${deep.map(([known, value]) => `"${known}":${value}`).join(',')}}`;
      const [head = '', tail = ''] = text.split(/\[{5000}\]{5000}/);
      return { bytes: Buffer.from(text), shell: deepShell(head, tail) };
    }),
    ...Object.entries({ null: 'null', number: '5', array: '[]', text: '""', empty: '' }).map(
      ([name, text]) =>
        turnedAway(`parser.${name}`, text === '' ? 'an empty body' : `${text} as the body`, () =>
          textBody(text),
        ),
    ),
    turnedAway('parser.trailing', 'a text behind the body', (_, members) =>
      textBody(`{${members.map(([name, text]) => `"${name}":${text}`).join(',')}} x`),
    ),
    {
      id: 'parser.media-type',
      title: 'text/plain is refused, and under a finished key it is no replay',
      source: 'http',
      run: async (bench) => {
        const headers = { 'Content-Type': 'text/plain' };
        const fresh = bench.intent();
        refused(await bench.send(bench.adapter.create(fresh.marker), fresh.key, { headers }));
        await bench.holds(fresh.marker, 0);
        const { intent, call } = await paid(bench);
        refused(await bench.send(call, intent.key, { headers }));
      },
    },
  ],
};

const DEPTH = 5_000;

function turnedAway(
  id: string,
  title: string,
  spell: (bench: Bench, members: Members) => Spelled,
  source: Source = 'practice',
): Check {
  const run = async (bench: Bench): Promise<void> => {
    const intent = bench.intent();
    const call = bench.adapter.create(intent.marker);
    const body = spell(bench, membersOf(call.body));
    refused(await bench.send(call, intent.key, { body }));
    await bench.holds(intent.marker, 0);
  };
  return { id, title: `${title} is refused, and does nothing`, source, run };
}

function deepShell(head: string, tail: string): string {
  const many = (letter: string) => `$(printf '${letter}%.0s' $(seq ${DEPTH}))`;
  return `'${head}'"${many('[')}${many(']')}"'${tail}'`;
}
