import { createHash } from 'node:crypto';
import type { Random } from '#seams/random.js';

/**
 * Random numbers that one name always gives in one order (sfc32, seeded by a hash of the name). Each actor
 * and each purpose has a stream of its own, so that what one of them draws moves nobody else's numbers.
 */
export class Stream implements Random {
  readonly #state: Int32Array;

  constructor(name: string) {
    const hash = createHash('sha256').update(name).digest();
    this.#state = Int32Array.from([0, 4, 8, 12].map((at) => hash.readInt32LE(at)));
  }

  unit(): number {
    return this.#next() / 2 ** 32;
  }

  uuid(): string {
    const bytes = this.bytes(16);
    bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
    bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.alloc(length);
    for (let at = 0; at < length; at += 1) bytes[at] = this.#next() & 0xff;
    return bytes;
  }

  /** A whole number from 0 up to, and without, `count`. */
  below(count: number): number {
    return Math.floor(this.unit() * count);
  }

  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('Bug: nothing to pick from');
    return item;
  }

  #next(): number {
    const state = this.#state;
    const [a = 0, b = 0, c = 0, d = 0] = state;
    const sum = (((a + b) | 0) + d) | 0;
    state[0] = b ^ (b >>> 9);
    state[1] = (c + (c << 3)) | 0;
    state[2] = (((c << 21) | (c >>> 11)) + sum) | 0;
    state[3] = (d + 1) | 0;
    return sum >>> 0;
  }
}
