import { createHash } from 'node:crypto';

/** What the service finds a key by, in the database's spelling of bytes. */
export function hashOf(key: string): string {
  return hexOfSha256(unquoted(key));
}

/** The same for an operation that no caller's key stands for: no such key is printable. */
export function internalHashOf(processorKey: string): string {
  return hexOfSha256(`\u0000internal ${processorKey}`);
}

/** Bare or as a string of RFC 8941: one key. */
export function unquoted(key: string): string {
  const text = key.trim();
  const quoted = /^"((?:[^"\\]|\\["\\])*)"\s*(?:;.*)?$/.exec(text);
  return quoted ? quoted[1]!.replace(/\\(["\\])/g, '$1') : text;
}

/**
 * The key under which the processor must know an operation: version 8 of RFC 9562 over sha256 of account, operation
 * and idempotency key, each behind its length. Written anew from the page, not taken from the service.
 */
export function derivedKey(account: string, operation: string, key: string): string {
  const parts = [account, operation, key].map((part) => Buffer.from(part, 'utf8'));
  const sized = parts.flatMap((part) => {
    const size = Buffer.alloc(4);
    size.writeUInt32BE(part.length);
    return [size, part];
  });
  const seed = Buffer.concat([Buffer.from('payonce/processor-key/1\n'), ...sized]);
  const hex = createHash('sha256').update(seed).digest('hex').slice(0, 32);
  const variant = ((parseInt(hex[16]!, 16) & 0x3) | 0x8).toString(16);
  const id = `${hex.slice(0, 12)}8${hex.slice(13, 16)}${variant}${hex.slice(17)}`;
  return id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function hexOfSha256(text: string): string {
  return `\\x${createHash('sha256').update(text, 'utf8').digest('hex')}`;
}
