import { seeded } from '../seeded.js';

/** Throws that one seed always gives in one order, so that whatever was drawn can be drawn again. */
export class Dice {
  /** From 0 to 1, without 1. */
  readonly roll: () => number;

  constructor(seed: number) {
    this.roll = seeded(seed);
  }

  /** A whole number from 0 to `count` - 1. */
  below(count: number): number {
    return Math.floor(this.roll() * count);
  }

  chance(probability: number): boolean {
    return this.roll() < probability;
  }

  pick<T>(list: readonly T[]): T {
    const found = list[this.below(list.length)];
    if (found === undefined && list.length === 0) throw new Error('Nothing to pick from');
    return found as T;
  }

  /** One of the list if there is any. */
  pickIfAny<T>(list: readonly T[]): T | undefined {
    return list.length === 0 ? undefined : this.pick(list);
  }

  /** By weight. */
  weighted<T>(list: readonly (readonly [weight: number, value: T])[]): T {
    let rest = this.roll() * list.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of list) {
      rest -= weight;
      if (rest < 0) return value;
    }
    return list[list.length - 1]![1];
  }

  hex(length: number): string {
    return Array.from({ length }, () => this.below(16).toString(16)).join('');
  }

  /** Of the form of an id; version 4. */
  uuid(): string {
    const [a, b, c, d] = [this.hex(8), this.hex(4), this.hex(3), this.hex(3)];
    return `${a}-${b}-4${c}-8${d}-${this.hex(12)}`;
  }

  /** A generator of its own for one thing of many, so that they can be drawn in any order. */
  static ofOne(seed: number, index: number): Dice {
    const dice = new Dice(Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b));
    dice.roll();
    return dice;
  }
}
