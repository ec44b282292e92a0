import { randomBytes, randomUUID } from 'node:crypto';

/** Randomness as a parameter, so that a test can repeat a run. */
export interface Random {
  /** A uniform number in [0, 1), for jitter. */
  unit(): number;
  uuid(): string;
  bytes(length: number): Buffer;
}

export const systemRandom: Random = {
  unit: () => Math.random(),
  uuid: () => randomUUID(),
  bytes: (length) => randomBytes(length),
};
