import {
  type KeyObject,
  createHash,
  createPrivateKey,
  createPublicKey,
  sign,
  verify,
} from 'node:crypto';
import type { ShardRow } from './chain.sql.js';

/** Ed25519 keys that checkpoints are signed with: the first signs, all of them verify. */
export type SigningKeys = { signer: Signer | null; verifiers: ReadonlyMap<string, KeyObject> };
type Signer = { name: string; key: KeyObject };

/** What stands before the 32 bytes of a key in DER (RFC 8410). */
const PRIVATE_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_HEAD = Buffer.from('302a300506032b6570032100', 'hex');
const PUBLIC = 'public:';

/**
 * Reads keys of 32 bytes in base64, comma-separated; one with `public:` in front only verifies. Throws what is wrong with
 * them, without showing any.
 */
export function readSigningKeys(texts: readonly string[]): SigningKeys {
  const keys = texts.map(readKey);
  const verifiers = new Map(keys.map(({ name, publicKey }) => [name, publicKey]));
  const [first] = keys;
  const signer = first?.privateKey ? { name: first.name, key: first.privateKey } : null;
  return { signer, verifiers };
}

function readKey(text: string) {
  const isPublic = text.startsWith(PUBLIC);
  const bytes = Buffer.from(isPublic ? text.slice(PUBLIC.length) : text, 'base64');
  if (bytes.length !== 32) throw new Error('a key is 32 bytes in base64');
  const privateKey = isPublic
    ? null
    : createPrivateKey({ key: Buffer.concat([PRIVATE_HEAD, bytes]), format: 'der', type: 'pkcs8' });
  const publicKey = privateKey
    ? createPublicKey(privateKey)
    : createPublicKey({ key: Buffer.concat([PUBLIC_HEAD, bytes]), format: 'der', type: 'spki' });
  return { name: nameOf(publicKey), privateKey, publicKey };
}

/** The beginning of the hash of the public key's 32 bytes. */
function nameOf(key: KeyObject): string {
  const raw = key.export({ format: 'der', type: 'spki' }).subarray(PUBLIC_HEAD.length);
  return createHash('sha256').update(raw).digest('hex').slice(0, 16);
}

/** What a checkpoint says, as it is signed. Instants are microseconds since 1970. */
export type Checkpoint = ShardRow & {
  /** As PostgreSQL prints it. */
  signed_at: string;
};

export function signCheckpoint({ key }: Signer, checkpoint: Checkpoint): Buffer {
  return sign(null, messageOf(checkpoint), key);
}

export function isSignedBy(key: KeyObject, checkpoint: Checkpoint, signature: Buffer): boolean {
  return verify(null, messageOf(checkpoint), key, signature);
}

function messageOf(checkpoint: Checkpoint): Buffer {
  return Buffer.from(
    [
      'payonce ledger checkpoint 1',
      checkpoint.shard,
      checkpoint.sequence,
      checkpoint.hash.toString('hex'),
      checkpoint.position_xid,
      checkpoint.position_account,
      checkpoint.position_entry,
      microsecondsOf(checkpoint.signed_at),
    ].join('\n'),
  );
}

/** From `2026-12-02 16:00:00.123456+00`: more than a Date holds. */
function microsecondsOf(text: string): string {
  const found = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?([+-]\d\d(?::\d\d)?)$/.exec(
    text,
  );
  if (found === null) throw new Error(`Bug: ${text} is not an instant of PostgreSQL's.`);
  const [, day, time, fraction = '', zone = ''] = found;
  const offset = zone.includes(':') ? zone : `${zone}:00`;
  const seconds = Date.parse(`${day}T${time}${offset}`) / 1_000; // tidy-allow: the database's instant
  return `${seconds}${fraction.padEnd(6, '0')}`;
}
