import { expect } from 'vitest';

export type Work<Laid> = {
  /** Lays out work of its own for the next pass, and says what a reader needs to find it again. */
  lay: () => Promise<Laid>;
  /** One pass, as each of two processes runs it. */
  passes: readonly [() => Promise<unknown>, () => Promise<unknown>];
  /** What became of the work, without ids and times: equal for all that was laid out alike. */
  became: (laid: Laid) => Promise<unknown>;
};

/**
 * Expects that a pass over work which is done changes nothing, and that two processes which run it at once
 * come to the same as one. (That one may be killed at every step takes real processes: the crash specs.)
 */
export async function expectIdempotent<Laid>({ lay, passes, became }: Work<Laid>): Promise<void> {
  const [first, second] = passes;
  const untouched = await became(await lay());
  await first();
  const once = await lay();
  await first();
  const expected = await became(once);
  expect(expected, 'a pass does nothing at all').not.toEqual(untouched);
  await first();
  await second();
  expect(await became(once), 'passes over what is done').toEqual(expected);

  for (let round = 0; round < ROUNDS; round++) {
    const shared = await lay();
    await Promise.all([first(), second()]);
    await first(); // an item that both reached for at once may be left to the next pass
    expect(await became(shared), 'two processes at once').toEqual(expected);
  }
}

const ROUNDS = 5;
