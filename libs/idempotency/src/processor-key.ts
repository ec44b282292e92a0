import { createHash } from 'node:crypto';

/**
 * The key under which the processor knows an intent: a function of the intent alone. A database
 * restored to before the claim derives it again, and the processor answers with the charge that it
 * already made. The caller's own key is never sent.
 *
 * It may never change, in no release: a changed derivation would charge a retried intent again.
 * The vectors in the spec hold it.
 *
 * @keeps P1
 */
export function deriveProcessorKey(
  accountId: string,
  operation: string,
  idempotencyKey: string,
): string {
  const hash = createHash('sha256').update('payonce/processor-key/1\n');
  for (const part of [accountId, operation, idempotencyKey]) {
    const bytes = Buffer.from(part, 'utf8');
    // The length in front keeps ("ab", "c") apart from ("a", "bc").
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    hash.update(length).update(bytes);
  }
  return uuid8(hash.digest());
}

/** What the key row is found by: 32 bytes whatever the caller sent, and no index holds the caller's text. */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key, 'utf8').digest();
}

/** RFC 9562, version 8: 122 bits of our own making. */
function uuid8(digest: Buffer): string {
  const bytes = Buffer.from(digest.subarray(0, 16));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}
