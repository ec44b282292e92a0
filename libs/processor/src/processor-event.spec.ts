import { describe, expect, it } from 'vitest';
import { readProcessorEvent, readReference } from './processor-event.js';

const EVENT = {
  id: 'evt_1',
  object: 'event',
  created: 1_800_000_000,
  pending_webhooks: 1,
  type: 'payment_intent.succeeded',
  data: {
    object: {
      id: 'pi_1',
      client_secret: 'pi_1_secret_abc',
      metadata: {
        payonce_account: '0198f3a2-7b11-7c3e-b6aa-51d0a8f0a111',
        payonce_intent: '8c9de1a0-4c1f-8abc-9def-0123456789ab',
      },
    },
  },
};

const read = (change: object) => readProcessorEvent({ ...EVENT, ...change });

describe('an event', () => {
  it('is read, and what it tells of', () => {
    expect(read({})).toMatchObject({
      id: 'evt_1',
      type: 'payment_intent.succeeded',
      createdSeconds: 1_800_000_000,
      objectId: 'pi_1',
    });
  });

  it.each([
    ['nothing', null],
    ['a list', [EVENT]],
    ['another object', { ...EVENT, object: 'charge' }],
    ['no id', { ...EVENT, id: undefined }],
    ['an id with a line break', { ...EVENT, id: 'evt_1\n' }],
    ['an endless id', { ...EVENT, id: 'e'.repeat(256) }],
    ['no type', { ...EVENT, type: 7 }],
    ['no time', { ...EVENT, created: '1800000000' }],
    ['a time before all', { ...EVENT, created: -1 }],
    ['no data', { ...EVENT, data: null }],
  ])('that is %s is none', (_what, value) => {
    expect(readProcessorEvent(value)).toBeNull();
  });

  it('may tell of an object without an id', () => {
    expect(read({ data: { object: { object: 'balance' } } })?.objectId).toBeNull();
  });

  it('is the same in another rendering, and another with other content', () => {
    const hash = (change: object) => read(change)?.bodyHash.toString('hex');
    expect(hash({ pending_webhooks: 7, request: null, livemode: false })).toBe(hash({}));
    const { id, ...rest } = EVENT.data.object;
    expect(hash({ data: { object: { ...rest, id } } })).toBe(hash({}));
    expect(hash({ type: 'payment_intent.canceled' })).not.toBe(hash({}));
    expect(hash({ created: 1_800_000_001 })).not.toBe(hash({}));
    const other = { ...EVENT.data.object, client_secret: 'pi_1_secret_abd' };
    expect(hash({ data: { object: other } })).not.toBe(hash({})); // before masking
  });

  it('is kept without its secrets, wherever they are and however they are spelt', () => {
    const text = JSON.stringify(EVENT).replace('client_secret', 'client\\u005fsecret');
    const payload = readProcessorEvent(JSON.parse(text), text)?.payload ?? '';
    expect(payload).not.toContain('secret_abc');
    expect(JSON.parse(payload).data.object.client_secret).toBe('***');
    const note = { object: { id: 'pi_1', note: 'see pi_1_secret_abc and whsec_abc' } };
    expect(read({ data: note })?.payload).not.toMatch(/secret_abc|whsec_abc/);
  });

  it('is kept byte for byte if it holds none', () => {
    const text = '{ "id":"evt_1","object":"event","created":1,"type":"a.b","data":{"object":{}} }';
    expect(readProcessorEvent(JSON.parse(text), text)?.payload).toBe(text);
  });
});

describe('the reference in an event', () => {
  it('survives the masking', () => {
    expect(readReference(JSON.parse(read({})?.payload ?? ''))).toEqual({
      accountId: EVENT.data.object.metadata.payonce_account,
      intent: EVENT.data.object.metadata.payonce_intent,
    });
  });

  it.each([
    ['nothing', null],
    ['an object without metadata', { data: { object: {} } }],
    [
      'names that are none',
      { data: { object: { metadata: { payonce_intent: 'a', payonce_account: 7 } } } },
    ],
  ])('is null in %s', (_what, payload) => {
    expect(readReference(payload)).toEqual({ accountId: null, intent: null });
  });
});
