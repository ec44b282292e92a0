import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Random } from '#seams/random.js';

export type KeyMode = 'test' | 'live';

/**
 * Makes an API key: `po_test_` or `po_live_`, 32 random base62 characters (190 bits), and 6 that
 * are a checksum of all before them. The prefix and the checksum let a secret scanner tell a key
 * from other text, and let us refuse a truncated paste without asking the database.
 */
export function mintApiKey(random: Random, mode: KeyMode): string {
  const body = `po_${mode}_${randomBase62(random, SECRET_LENGTH)}`;
  return body + checksum(body);
}

/** Null for anything that cannot be a key of ours; what is one may still be unknown or revoked. */
export function parseApiKey(text: string): { mode: KeyMode } | null {
  const match = /^(po_(test|live)_[0-9A-Za-z]{32})([0-9A-Za-z]{6})$/.exec(text);
  if (match === null) return null;
  const [, body, mode, sum] = match;
  if (body === undefined || checksum(body) !== sum) return null;
  return { mode: mode as KeyMode };
}

/** What is stored. A key has enough entropy that a plain hash cannot be searched. */
export function hashApiKey(key: string): Buffer {
  return createHash('sha256').update(key, 'utf8').digest();
}

/** What may be shown and logged: enough to tell one key from another, nothing to guess the rest by. */
export function displayPrefix(key: string): string {
  return key.slice(0, 'po_test_'.length + 4);
}

const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Bytes from 248 on are thrown away: 256 is no multiple of 62, and the first letters would come up more often. */
function randomBase62(random: Random, length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of random.bytes(length)) {
      if (byte < 248 && text.length < length) text += BASE62.charAt(byte % 62);
    }
  }
  return text;
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let index = 0; index < CHECKSUM_LENGTH; index += 1) {
    text = BASE62.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
