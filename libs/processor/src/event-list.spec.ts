import { afterEach, describe, expect, it } from 'vitest';
import { StripeBench, TIMEOUT } from '#testing/stripe-answers.js';

const bench = new StripeBench();
afterEach(() => bench.close());

const event = (id: string, created = 1) => ({
  id,
  object: 'event',
  created,
  type: 'a.b',
  data: { object: { id: 'x' } },
});
const page = (data: unknown[], has_more: unknown = false) => ({ object: 'list', data, has_more });
const AFTER = { kind: 'after', eventId: 'evt_0' } as const;
const SINCE = { kind: 'since', createdSeconds: 7, before: null } as const;

describe('the list of events', () => {
  it('after an event is told oldest first', async () => {
    const { server, processor } = await bench.answering(
      200,
      page([event('evt_2'), event('evt_1')], true),
    );
    const found = await processor.listEvents(AFTER, TIMEOUT);
    expect(found).toMatchObject({ kind: 'page', unreadable: 0, more: true });
    expect(found.kind === 'page' && found.events.map(({ id }) => id)).toEqual(['evt_1', 'evt_2']);
    expect(server.requests[0]?.head).toContain(
      'GET /v1/events?limit=100&ending_before=evt_0 HTTP/1.1',
    );
  });

  it('since an instant is told newest first, and goes on before an event', async () => {
    const { server, processor } = await bench.answering(
      200,
      page([event('evt_2'), event('evt_1')]),
    );
    const found = await processor.listEvents({ ...SINCE, before: 'evt_3' }, TIMEOUT);
    expect(found.kind === 'page' && found.events.map(({ id }) => id)).toEqual(['evt_2', 'evt_1']);
    const url = new URL(server.requests[0]?.head.split(' ')[1] ?? '', server.url);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      limit: '100',
      'created[gte]': '7',
      starting_after: 'evt_3',
    });
  });

  it('passes over what cannot be read, and says so', async () => {
    const { processor } = await bench.answering(200, page([event('evt_1'), { id: 'evt_2' }, null]));
    expect(await processor.listEvents(AFTER, TIMEOUT)).toMatchObject({
      kind: 'page',
      unreadable: 2,
      events: [{ id: 'evt_1' }],
    });
  });

  it.each([400, 404])('does not know an event any more: %i', async (status) => {
    const error = { type: 'invalid_request_error', code: 'resource_missing', message: 'No such' };
    const { processor } = await bench.answering(status, { error });
    expect(await processor.listEvents(AFTER, TIMEOUT)).toEqual({ kind: 'unknown_event' });
  });

  it.each<[string, number, unknown]>([
    ['a server error', 500, page([])],
    ['another refusal', 400, { error: { type: 'invalid_request_error' } }],
    ['no JSON', 200, '<html>'],
    ['JSON of two meanings', 200, '{"object":"list","object":"list","data":[],"has_more":false}'],
    ['another object', 200, { ...page([]), object: 'event' }],
    ['no list', 200, { ...page([]), data: {} }],
    ['no word of more', 200, page([], 'false')],
    ['nothing that can be read', 200, page([7, null])],
    ['a text', 200, '"list"'],
  ])('is not told by %s', async (_what, status, body) => {
    const { processor } = await bench.answering(status, body);
    expect(await processor.listEvents(AFTER, TIMEOUT)).toMatchObject({ kind: 'failed' });
  });

  it('is not told by a connection that breaks', async () => {
    const { processor } = await bench.serving((socket) => socket.destroy());
    expect(await processor.listEvents(AFTER, TIMEOUT)).toEqual({ kind: 'failed', detail: 'reset' });
  });
});
