import { Red, type Phase } from '../check.js';
import { isTaken, paid, replayOf, taken } from '../judge.js';

export const scope: Phase = {
  name: 'whose key it is',
  checks: [
    {
      id: 'scope.account',
      title: "another account's key of the same text is another key",
      source: 'draft',
      run: async (bench) => {
        bench.secretOf('OTHER_KEY');
        const { intent, call, first } = await paid(bench);
        const theirs = taken(await bench.retried(call, intent.key, { credential: 'OTHER_KEY' }));
        if (first.bytes.length > 0 && theirs.bytes.equals(first.bytes))
          throw new Red("another account got the first account's answer");
        await bench.holds(intent.marker, 1);
        await bench.holds(intent.marker, 1, 'OTHER_KEY');
      },
    },
    {
      id: 'scope.rotated',
      title: 'a key outlives the credential that it was sent with',
      source: 'practice',
      run: async (bench) => {
        bench.secretOf('ROTATED_KEY');
        const { intent, call, first } = await paid(bench);
        replayOf(first, await bench.retried(call, intent.key, { credential: 'ROTATED_KEY' }));
        await bench.holds(intent.marker, 1);
      },
    },
    {
      id: 'scope.no-credential',
      title: 'without a credential a finished key tells nothing',
      source: 'draft',
      run: async (bench) => {
        const { intent, call, first } = await paid(bench);
        const answer = await bench.send(call, intent.key, { credential: 'none' });
        if (isTaken(answer) || answer.bytes.includes(first.bytes))
          throw new Red(`status ${answer.status} for a request without a credential`);
      },
    },
  ],
};
