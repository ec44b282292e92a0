import { describe, expect, it } from 'vitest';
import { readPrefer } from './read-prefer.js';

const NOTHING = { respondAsync: false, waitSeconds: null };
const ASYNC = { ...NOTHING, respondAsync: true };
const wait = (waitSeconds: number) => ({ ...NOTHING, waitSeconds });

describe('the Prefer header', () => {
  it.each<{ prefer: string[]; read: object }>([
    { prefer: [], read: NOTHING },
    { prefer: [''], read: NOTHING },
    { prefer: [' , ,,'], read: NOTHING },
    { prefer: ['respond-async'], read: ASYNC },
    { prefer: ['Respond-ASYNC'], read: ASYNC },
    { prefer: [' respond-async ; foo=bar'], read: ASYNC },
    { prefer: ['respond-async=""'], read: ASYNC }, // an empty value is none
    { prefer: ['respond-async=no'], read: NOTHING },
    { prefer: ['x-respond-async'], read: NOTHING },
    { prefer: ['return=minimal, respond-async'], read: ASYNC },
    { prefer: ['return=minimal', 'handling=lenient', 'respond-async'], read: ASYNC },
    { prefer: ['wait=5'], read: wait(5) },
    { prefer: ['WAIT = 5'], read: wait(5) },
    { prefer: ['wait="5"; foo'], read: wait(5) },
    { prefer: ['wait=0'], read: wait(0) },
    { prefer: ['wait=61'], read: wait(60) },
    { prefer: [`wait=${'9'.repeat(400)}`], read: wait(60) },
    ...['wait', 'wait=', 'wait=abc', 'wait=-1', 'wait=1.5', 'wait=1e3', 'wait=0x5', 'wait=5s'].map(
      (text) => ({ prefer: [text], read: NOTHING }),
    ),
    { prefer: ['wait=5, wait=9'], read: wait(5) },
    { prefer: ['wait=5', 'wait=9'], read: wait(5) },
    { prefer: ['wait=abc, wait=9'], read: NOTHING }, // the first one counts, and says nothing
    { prefer: ['respond-async, wait=7'], read: { respondAsync: true, waitSeconds: 7 } },
    { prefer: ['wait=7', 'respond-async'], read: { respondAsync: true, waitSeconds: 7 } },
    { prefer: ['foo="a, respond-async, wait=5"'], read: NOTHING }, // all of it is one value
    { prefer: ['foo="a\\", respond-async", wait=5'], read: wait(5) },
    { prefer: ['foo="never closed, respond-async'], read: NOTHING },
    { prefer: ['foo; respond-async'], read: NOTHING }, // a parameter of foo
    { prefer: ['foo; wait=5, wait=6'], read: wait(6) },
  ])('$prefer', ({ prefer, read }) => {
    const rawHeaders = prefer.flatMap((text) => ['Accept', 'respond-async', 'pREFER', text]);
    expect(readPrefer(rawHeaders)).toEqual(read);
  });
});
