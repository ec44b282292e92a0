import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FINGERPRINT_VERSION, fingerprint } from '#idempotency/fingerprint.js';
import { hashKey } from '#idempotency/processor-key.js';
import { HONEST, type World, body, startWorld } from './contract-world.js';
import { expectCharged, expectProblem, expectRefused, expectReplay } from './expectations.js';

let world: World;
beforeAll(async () => void (world = await startWorld()));
afterAll(() => world.close());

describe('contract, the fingerprint: the same request in other words', () => {
  it.each([
    {
      n: 22,
      title: 'members in another order',
      first: HONEST,
      then: '{"payment_method":"pm_123","currency":"myr","amount":2500}',
    },
    { n: 22, title: 'other white space', first: HONEST, then: HONEST.replaceAll(':', '\t:\r\n ') },
    { n: 23, title: '2500.0', first: HONEST, then: body({ amount: '2500.0' }) },
    { n: 23, title: '2.5e3', first: HONEST, then: body({ amount: '2.5e3' }) },
    { n: 23, title: '25E+2', first: HONEST, then: body({ amount: '25E+2' }) },
    {
      n: 36,
      title: 'an escaped letter and an escaped slash',
      first: body({ description: '"A/b"' }),
      then: body({ description: '"\\u0041\\/b"' }),
    },
    {
      n: 36,
      title: 'an escaped pair of surrogates',
      first: body({ description: '"💳"' }),
      then: body({ description: '"\\ud83d\\udcb3"' }),
    },
    {
      n: 53,
      title: 'names in metadata that look like numbers',
      first: body({ metadata: '{"10":"a","9":"b","x":"c"}' }),
      then: body({ metadata: '{"x":"c","9":"b","10":"a"}' }),
    },
  ])('case $n: $title is a replay', async ({ first, then }) => {
    const key = randomUUID();
    const charged = await world.post(first, { key });
    expectCharged(charged);
    const before = await world.footprint();
    expectReplay(await world.post(then, { key }), charged);
    expect(await world.footprint()).toEqual(before);
  });
});

describe('contract, the fingerprint: another request under a known key', () => {
  it.each([
    {
      n: 35,
      title: 'é composed, then decomposed',
      first: body({ description: '"caf\u00e9"' }),
      then: body({ description: '"cafe\u0301"' }),
    },
    { n: 47, title: 'another amount', first: HONEST, then: body({ amount: '2501' }) },
    {
      n: 48,
      title: 'another description alone',
      first: body({ description: '"a"' }),
      then: body({ description: '"b"' }),
    },
    {
      n: 48,
      title: 'other metadata alone',
      first: body({ metadata: '{"a":"1"}' }),
      then: body({ metadata: '{"a":"2"}' }),
    },
    {
      n: 33,
      title: 'a default spelled out',
      first: HONEST,
      then: body({ capture: '"automatic"' }),
    },
    { n: 47, title: 'a body that is not valid', first: HONEST, then: body({ amount: '0' }) },
    { n: 34, title: 'one more field, unknown', first: HONEST, then: body({ colour: '"red"' }) },
    { n: 42, title: 'no payment at all', first: HONEST, then: 'null' },
  ])('case $n: $title is 422 and tells nothing', async ({ first, then }) => {
    const key = randomUUID();
    const charged = await world.post(first, { key });
    expectCharged(charged);
    const other = () => world.post(then, { key });
    const answer = await expectRefused(world, other, {
      code: 'idempotency_key_reused',
      param: null,
    });
    expect(answer.text).not.toMatch(/2500|amount|description|metadata|colour|pm_123|capture/);
    expect(answer.text).not.toContain(charged.json.id);
    expect(answer.headers.get('idempotent-replayed')).toBeNull();
    expectReplay(await world.post(first, { key }), charged);
  });

  it.each([
    { n: 49, title: 'another route', operation: 'POST /v1/payments/:id/refunds' },
    { n: 49, title: 'another method', operation: 'PUT /v1/payments' },
  ])('case $n: a key that was used on $title is 422', async ({ operation }) => {
    const key = randomUUID();
    expectCharged(await world.post(HONEST, { key }));
    await plant(key, 'operation', operation);
    await expectRefused(world, () => world.post(HONEST, { key }), {
      code: 'idempotency_key_reused',
    });
  });

  it('case 51: another media type is 415 first, never a replay', async () => {
    const key = randomUUID();
    expectCharged(await world.post(HONEST, { key }));
    const send = () => world.post(HONEST, { key, headers: { 'content-type': 'text/plain' } });
    const answer = await expectRefused(world, send, { code: 'unsupported_media_type' });
    expect(answer.headers.get('idempotent-replayed')).toBeNull();
  });
});

describe('contract, the fingerprint: a release between the try and its retry', () => {
  it.each([
    { title: 'a field is no longer known', then: body({ colour: '"red"' }) },
    { title: 'an amount is no longer allowed', then: body({ amount: '100000000' }) },
    { title: 'a currency is no longer carried', then: body({ currency: '"zzz"' }) },
    { title: 'a field has become required', then: '{"amount":2500,"currency":"myr"}' },
  ])('case 54: $title, and the retry of what was charged replays', async ({ then }) => {
    const key = randomUUID();
    const charged = await world.post(HONEST, { key });
    expectCharged(charged);
    await plant(key, 'fingerprint', fingerprintOf(then)); // as an older release accepted it
    const before = await world.footprint();
    expectReplay(await world.post(then, { key }), charged);
    expect(await world.footprint()).toEqual(before);
    const unseen = () => world.post(then);
    expectProblem(await unseen(), { code: 'validation_failed' });
  });

  it('case 55: each row names the version of its fingerprint', async () => {
    const key = randomUUID();
    expectCharged(await world.post(HONEST, { key }));
    const { rows } = await world.system.owner.query(
      'SELECT fingerprint, fingerprint_version FROM idempotency_keys WHERE key_hash = $1',
      [hashKey(key)],
    );
    expect(rows).toEqual([
      { fingerprint: fingerprintOf(HONEST), fingerprint_version: FINGERPRINT_VERSION },
    ]);
  });
});

function fingerprintOf(text: string): Buffer {
  const read = JSON.parse(text) as unknown;
  return fingerprint({ method: 'POST', route: '/v1/payments', params: {}, body: read });
}

async function plant(key: string, column: 'operation' | 'fingerprint', value: unknown) {
  const update = `UPDATE idempotency_keys SET ${column} = $1 WHERE key_hash = $2`;
  expect((await world.system.owner.query(update, [value, hashKey(key)])).rowCount).toBe(1);
}
