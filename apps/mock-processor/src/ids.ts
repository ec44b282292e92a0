import type { Random } from '#seams/random.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** An identifier in Stripe's form: a prefix that tells the kind, then 24 letters and digits. */
export function newId(random: Random, prefix: string): string {
  let id = `${prefix}_`;
  for (const byte of random.bytes(24)) id += ALPHABET[byte % ALPHABET.length];
  return id;
}
