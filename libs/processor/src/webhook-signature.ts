import { createHmac, timingSafeEqual } from 'node:crypto';

/** How far the sender's clock may be from ours, in either direction. */
export const TOLERANCE_SECONDS = 300;

/**
 * Whether one of our secrets signed these bytes just now, in Stripe's dialect: `t=<seconds>,v1=<hex>`, any
 * number of signatures, other schemes beside them. Nothing has been parsed before this says yes, so it reads
 * strictly, and what it does not expect is no.
 *
 * While a secret is rotated two are valid, and the sender signs with both or either.
 */
export function isSignedBy(
  secrets: readonly string[],
  header: string,
  bytes: Uint8Array,
  nowSeconds: number,
): boolean {
  const signed = readHeader(header);
  if (signed === null) return false;
  if (Math.abs(nowSeconds - Number(signed.seconds)) > TOLERANCE_SECONDS) return false;
  let found = false;
  for (const secret of secrets) {
    const own = createHmac('sha256', secret).update(`${signed.seconds}.`).update(bytes).digest();
    // Each pair is compared to its end, so the time taken tells nothing about where they differ.
    for (const signature of signed.signatures) found = timingSafeEqual(own, signature) || found;
  }
  return found;
}

const HEADER_LENGTH_MAX = 2_048;
const SIGNATURES_MAX = 16;
const SCHEME = /^[a-z][a-z0-9]*$/;
/** Whole seconds until the year 33658: no sign, no fraction, no exponent, and nothing that is not a number. */
const SECONDS = /^[0-9]{1,12}$/;
/** Exactly the digits of a sha256: the decoder itself would pass over anything that is none. */
const HEX = /^[0-9a-f]{64}$/;

type Signed = {
  /** As it was written, since that is what was signed. */
  seconds: string;
  signatures: Buffer[];
};

function readHeader(header: string): Signed | null {
  if (header.length > HEADER_LENGTH_MAX) return null;
  let seconds: string | null = null;
  const signatures: Buffer[] = [];
  for (const part of header.split(',')) {
    const at = part.indexOf('=');
    const [scheme, value] = [part.slice(0, at), part.slice(at + 1)];
    if (!SCHEME.test(scheme)) return null;
    if (scheme === 't') {
      if (seconds !== null || !SECONDS.test(value)) return null;
      seconds = value;
    } else if (scheme === 'v1') {
      if (!HEX.test(value)) return null;
      signatures.push(Buffer.from(value, 'hex'));
    }
  }
  if (seconds === null || signatures.length > SIGNATURES_MAX) return null;
  return { seconds, signatures };
}
