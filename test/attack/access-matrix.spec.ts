import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccessWorld, CALLERS, type Caller, type Things, absentThings } from './access-world.js';

type Row = {
  /** Who may use it; `open` is everybody, `signed` whoever can sign. */
  right: 'payments:write' | 'payments:read' | 'operations' | 'open' | 'signed';
  /** What the id in its path is of. */
  about?: keyof Things;
  /** A body that would do; none for a read. */
  body?: object;
};

const WRITE = 'payments:write';
const READ = 'payments:read';
const reason = 'a reason';
const RANGE = { reason, from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };
const BREAK_ACT = { reason, reason_code: 'goods_sent' };

/** One row a route. Whoever adds a route says here who may use it. */
const MATRIX: Record<string, Row> = {
  'POST /v1/payments': {
    right: WRITE,
    body: { amount: 1, currency: 'myr', payment_method: 'pm_123' },
  },
  'GET /v1/payments': { right: READ },
  'GET /v1/payments/:id': { right: READ, about: 'payment' },
  'GET /v1/payments/:id/timeline': { right: READ, about: 'payment' },
  'POST /v1/payments/:id/cancel': { right: WRITE, about: 'payment', body: {} },
  'POST /v1/payments/:id/capture': { right: WRITE, about: 'payment', body: {} },
  'POST /v1/payments/:id/refunds': { right: WRITE, about: 'payment', body: { amount: 1 } },
  'POST /v1/cancellations': { right: WRITE, body: { idempotency_key: 'of-nobody' } },
  'GET /v1/refunds': { right: READ },
  'GET /v1/refunds/:id': { right: READ, about: 'refund' },
  'GET /v1/ledger/trial-balance': { right: READ },
  'GET /v1/ledger/accounts': { right: READ },
  'GET /v1/ledger/accounts/:name/balance': { right: READ },
  'GET /v1/ledger/accounts/:name/statement': { right: READ },
  'GET /v1/operations/reviews': { right: 'operations' },
  'POST /v1/operations/reviews/:operation_id/lookup': {
    right: 'operations',
    about: 'operation',
    body: { reason },
  },
  'POST /v1/operations/reviews/:operation_id/resolve': {
    right: 'operations',
    about: 'operation',
    body: { reason, as: 'did_not_happen' },
  },
  'POST /v1/operations/inbox/replay': { right: 'operations', body: RANGE },
  'POST /v1/operations/inbox/:event_id/replay': {
    right: 'operations',
    about: 'event',
    body: { reason },
  },
  'GET /v1/operations/audit': { right: 'operations' },
  'GET /v1/operations/breaks': { right: 'operations' },
  'POST /v1/operations/breaks/:id/accept': { right: 'operations', about: 'break', body: BREAK_ACT },
  'POST /v1/operations/breaks/:id/refund': { right: 'operations', about: 'break', body: BREAK_ACT },
  'POST /v1/operations/breaks/:id/match': { right: 'operations', about: 'break', body: BREAK_ACT },
  'POST /v1/operations/breaks/:id/write-off': {
    right: 'operations',
    about: 'break',
    body: BREAK_ACT,
  },
  'POST /v1/operations/breaks/:id/approve': {
    right: 'operations',
    about: 'break',
    body: BREAK_ACT,
  },
  'POST /v1/operations/breaks/:id/reopen': { right: 'operations', about: 'break', body: BREAK_ACT },
  'POST /webhooks/stripe': { right: 'signed', body: {} },
  'GET /health/live': { right: 'open' },
  'GET /health/ready': { right: 'open' },
  'GET /': { right: 'open' },
  'GET /docs': { right: 'open' },
  'GET /docs/': { right: 'open' },
  'GET /docs/index.html': { right: 'open' },
  'GET /docs/swagger-ui-init.js': { right: 'open' },
  'GET /docs/docs/swagger-ui-init.js': { right: 'open' },
  'GET /docs/LICENSE': { right: 'open' },
  'GET /docs/*': { right: 'open' },
  'GET /docs/problems': { right: 'open' },
  'GET /docs/problems/:code': { right: 'open' },
  'GET /openapi.json': { right: 'open' },
  'GET /openapi.yaml': { right: 'open' },
};

let world: AccessWorld;
beforeAll(async () => void (world = await AccessWorld.start()));
afterAll(() => world.close());

describe('the access matrix', () => {
  it('has a row for each route of the running application, and for no other', () => {
    expect(world.routes.toSorted()).toEqual(Object.keys(MATRIX).toSorted());
  });

  it.each(Object.entries(MATRIX))(
    '%s: each caller passes, or is told what it lacks',
    async (route, row) => {
      const met: Record<string, unknown> = {};
      for (const caller of CALLERS)
        met[caller] = gateOf(await send(route, row, caller, world.things));
      expect(met).toEqual(
        Object.fromEntries(CALLERS.map((caller) => [caller, expected(route, row, caller)])),
      );
    },
  );
});

describe('what is not yours', () => {
  const rows = Object.entries(MATRIX).filter(([, { about }]) => about !== undefined);

  it.each(rows)(
    '%s: is not there, in the same bytes, after the same statements',
    async (route, row) => {
      for (const caller of strangers(route, row)) {
        const absent = await world.watched(() => send(route, row, caller, absentThings()));
        const theirs = await world.watched(() => send(route, row, caller, world.things));
        expect(absent.answer.status, caller).toBe(404);
        expect(shape(theirs.answer), caller).toEqual(shape(absent.answer));
        expect(theirs.statements, caller).toEqual(absent.statements);
        expect(absent.statements.length > 0 || row.about === 'event', caller).toBe(true);
      }
    },
  );

  it('is there for its owner', async () => {
    for (const [route, row] of rows) {
      const owner = row.right === 'operations' ? 'operator' : 'mine';
      const { status } = await send(route, row, owner, world.things);
      expect([200, 201, 400, 409], route).toContain(status);
    }
  });
});

function send(route: string, { about, body }: Row, caller: Caller, things: Things) {
  const [method = '', path = ''] = route.split(' ');
  const target = path
    .replace(/:\w+/, about === undefined ? 'not_found' : things[about])
    .replace('*', 'favicon-32x32.png');
  const { apiKey } = world.clients[caller];
  return world.clients[caller].send(method, target, {
    headers: {
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
      ...(apiKey === '' ? { authorization: '' } : {}),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** What stands between a caller and a route; null for one who has passed. */
function gateOf({ status, json }: { status: number; json: any }): string | null {
  return [401, 403].includes(status) ? json.code : null;
}

function expected(route: string, { right }: Row, caller: Caller): string | null {
  if (right === 'open' || right === 'signed') return null;
  if (['revoked', 'expired', 'garbage', 'nobody'].includes(caller)) return 'unauthenticated';
  if (isOperator(caller))
    return right === 'operations' || route.startsWith('GET ') ? null : 'forbidden';
  if (right === 'operations') return 'forbidden';
  if (caller === 'only_reads') return right === READ ? null : 'forbidden';
  if (caller === 'only_writes') return right === WRITE ? null : 'forbidden';
  return null;
}

/** Those who may use the route, and to whom these things do not belong. */
function strangers(route: string, { right }: Row): Caller[] {
  const others: Caller[] = right === 'operations' ? [] : ['other_account', 'other_mode'];
  return expected(route, { right }, 'other_operator') === null
    ? [...others, 'other_operator']
    : others;
}

function isOperator(caller: Caller): boolean {
  return caller === 'operator' || caller === 'other_operator';
}

/** All but what names this one request. */
function shape({ status, headers, json }: { status: number; headers: Headers; json: object }) {
  const kept = [...headers].filter(
    ([name]) => !['request-id', 'idempotency-key', 'date'].includes(name),
  );
  return { status, headers: kept, json: { ...json, request_id: null } };
}
