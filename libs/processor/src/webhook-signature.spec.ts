import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Stripe } from 'stripe';
import { describe, expect, it } from 'vitest';
import { TOLERANCE_SECONDS, isSignedBy } from './webhook-signature.js';

const NOW = 1_800_000_000;
const BODY = Buffer.from('{"id":"evt_1", "object":"event"}');
const OLD = 'whsec_old';
const NEW = 'whsec_new';

function mac(secret: string, seconds: number | string = NOW, body: Buffer = BODY): string {
  return createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
}

function at(seconds: number | string): string {
  return `t=${seconds},v1=${mac(NEW, seconds)}`;
}

const good = mac(NEW);

describe('a signature', () => {
  it.each<[string, string]>([
    ['of now', at(NOW)],
    ['of the oldest second', at(NOW - TOLERANCE_SECONDS)],
    ['of the most future second', at(NOW + TOLERANCE_SECONDS)],
    ['by the older secret', `t=${NOW},v1=${mac(OLD)}`],
    ['by both secrets', `t=${NOW},v1=${mac(OLD)},v1=${good}`],
    ['after one that is not ours', `t=${NOW},v1=${mac('whsec_other')},v1=${good}`],
    ['before one that is not ours', `t=${NOW},v1=${good},v1=${mac('whsec_other')}`],
    ['beside another scheme', `t=${NOW},v0=abc,v1=${good},v2=xyz`],
    ['before its time', `v1=${good},t=${NOW}`],
  ])('%s is taken', (_what, header) => {
    expect(isSignedBy([OLD, NEW], header, BODY, NOW)).toBe(true);
  });

  it.each<[string, string]>([
    ['a second too old', at(NOW - TOLERANCE_SECONDS - 1)],
    ['a second too far ahead', at(NOW + TOLERANCE_SECONDS + 1)],
    ['by a secret that is none of ours', `t=${NOW},v1=${mac('whsec_other')}`],
    ['with another time than was signed', `t=${NOW + 1},v1=${good}`],
    ['without a time', `v1=${good}`],
    ['without a signature', `t=${NOW}`],
    ['empty', ''],
    ['of nothing', ','],
    ['of words', 'not a signature'],
    ['with an empty signature', `t=${NOW},v1=`],
    ['of odd length', `t=${NOW},v1=${good.slice(1)}`],
    ['too short', `t=${NOW},v1=${good.slice(2)}`],
    ['too long', `t=${NOW},v1=${good}00`],
    ['that is not hexadecimal', `t=${NOW},v1=${'z'.repeat(64)}`],
    ['with junk behind its digits', `t=${NOW},v1=${good}zz`],
    ['in capitals', `t=${NOW},v1=${good.toUpperCase()}`],
    ['of another scheme', `t=${NOW},v0=${good}`],
    ['of a scheme that begins like ours', `t=${NOW},v1a=${good}`],
    ['of no scheme', `t=${NOW},none=${good}`],
    ['with blanks', `t=${NOW}, v1=${good}`],
    ['that is two headers, joined', `t=${NOW},v1=${good}, t=${NOW},v1=${good}`],
    ['of a time that is no number', at('NaN')],
    ['of a time that is endless', at('Infinity')],
    ['of a huge time', at('9'.repeat(30))],
    ['of a negative time', at(`-${NOW}`)],
    ['of a time with a fraction', at(`${NOW}.0`)],
    ['of a time in powers', at('1.8e9')],
    ['of an empty time', at('')],
    ['with two times', `t=${NOW},t=${NOW},v1=${good}`],
    ['with one broken signature beside the right one', `t=${NOW},v1=zz,v1=${good}`],
    ['as one of very many', `t=${NOW},${`v1=${mac(OLD)},`.repeat(16)}v1=${good}`],
    ['in a header that is far too long', `t=${NOW},v1=${good},v0=${'0'.repeat(4_000)}`],
  ])('%s is refused', (_what, header) => {
    expect(isSignedBy([OLD, NEW], header, BODY, NOW)).toBe(false);
  });

  it.each<[string, Buffer]>([
    ['a changed byte', Buffer.from('{"id":"evt_2", "object":"event"}')],
    ['white space that is gone', Buffer.from('{"id":"evt_1","object":"event"}')],
    ['white space behind it', Buffer.concat([BODY, Buffer.from('\n')])],
    ['no byte at all', Buffer.alloc(0)],
  ])('over %s is refused', (_what, body) => {
    expect(isSignedBy([NEW], at(NOW), body, NOW)).toBe(false);
  });

  it('is compared by a function that takes equally long for all', () => {
    // How long it takes cannot be measured reliably, so the source is asked which one it is.
    const source = readFileSync(new URL('webhook-signature.ts', import.meta.url), 'utf8');
    expect(source).toContain('timingSafeEqual(own, signature)');
    expect(source).not.toMatch(
      /\b(own|signature)\b\s*(===?|!==?)|\b(own|signature)\.(equals|compare)\b/,
    );
  });

  it('by the older secret is refused once that is gone', () => {
    expect(isSignedBy([NEW], `t=${NOW},v1=${mac(OLD)}`, BODY, NOW)).toBe(false);
  });

  it("by Stripe's own client is taken", () => {
    const payload = BODY.toString('utf8');
    const header = Stripe.webhooks.generateTestHeaderString({
      payload,
      secret: NEW,
      timestamp: NOW,
    });
    expect(isSignedBy([NEW], header, BODY, NOW)).toBe(true);
  });
});
