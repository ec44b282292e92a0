import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { vi } from 'vitest';
import { hashApiKey } from '#accounts/api-key.js';
import { ApiClient } from '#testing/http.js';
import { type System, startSystem } from '#testing/system.js';
import { createApp } from '../../apps/payments-api/src/create-app.js';
import { untilHeard } from '../webhooks/webhook-world.js';

export type Caller = (typeof CALLERS)[number];
/** Who may knock. `mine` has made the things that the requests are about. */
export const CALLERS = [
  'mine',
  'other_account',
  'other_mode',
  'only_reads',
  'only_writes',
  'operator',
  'other_operator',
  'revoked',
  'expired',
  'garbage',
  'nobody',
] as const;

/** What a path can be about, of `mine`; and of nobody at all. */
export type Things = {
  payment: string;
  refund: string;
  operation: string;
  break: string;
  event: string;
};

export class AccessWorld {
  private constructor(
    readonly system: System,
    readonly clients: Record<Caller, ApiClient>,
    readonly things: Things,
    readonly routes: string[],
  ) {}

  static async start(): Promise<AccessWorld> {
    const system = await startSystem({ webhooks: true });
    const { client, owner } = system;
    const both = ['payments:write', 'payments:read'] as const;
    const made = (mode: 'test' | 'live', scopes: readonly (typeof both)[number][]) =>
      system.newClient({ name: 'first', mode, scopes: [...scopes] });
    const ended = async (column: string) => {
      const ending = await made('test', both);
      const sql = `UPDATE api_keys SET ${column} = payonce_now() - interval '1 second' WHERE key_hash = $1`;
      await owner.query(sql, [hashApiKey(ending.apiKey)]);
      return ending;
    };
    const clients: Record<Caller, ApiClient> = {
      mine: client,
      other_account: await system.newClient(),
      other_mode: await made('live', both),
      only_reads: await made('test', ['payments:read']),
      only_writes: await made('test', ['payments:write']),
      operator: await system.newOperator(),
      other_operator: await system.newOperator('Ann', 'live'),
      revoked: await ended('revoked_at'),
      expired: await ended('expires_at'),
      garbage: new ApiClient(client.url, 'po_test_0123456789ABCDEFGHIJKLMNOPQRSTUV0HOhnf'),
      nobody: new ApiClient(client.url, ''),
    };
    return new AccessWorld(system, clients, await makeThings(system), await routesOf(system));
  }

  /** The statements that an answer took, of those that look for what it is about. */
  async watched<T>(work: () => Promise<T>): Promise<{ answer: T; statements: string[] }> {
    const spy = vi.spyOn(pg.Client.prototype, 'query');
    try {
      const answer = await work();
      const all = spy.mock.calls.map(([query]) => textOf(query));
      return { answer, statements: all.filter((text) => !NOT_ABOUT_IT.test(text)) };
    } finally {
      spy.mockRestore();
    }
  }

  close(): Promise<void> {
    return this.system.close();
  }
}

/** A key is remembered for a moment, and every process says now and then that it lives. */
const NOT_ABOUT_IT = /api_keys|\binstances\b|webhook_inbox/;

function textOf(query: unknown): string {
  if (typeof query === 'string') return query;
  return String((query as { text?: unknown } | null)?.text);
}

/** One of each: a payment that was refunded in part, its operation, a break of it, and an event about it. */
async function makeThings(system: System): Promise<Things> {
  const { client, owner } = system;
  const paid = await client.pay();
  const payment: string = paid.json.id;
  const refund = await client.post(`/v1/payments/${payment}/refunds`, { amount: 1 });
  const [operation] = (
    await owner.query('SELECT id FROM operations WHERE payment_id = $1', [payment])
  ).rows;
  const [broken] = (
    await owner.query(
      `INSERT INTO breaks (account_id, payment_id, processor_name, kind, reference, severity, amount, currency,
                           first_seen, last_seen)
       VALUES ($1, $2, 'mock', 'late_success', 'pi_late', 'critical', 1, 'myr', payonce_now(), payonce_now())
       RETURNING id`,
      [system.account.id, payment],
    )
  ).rows;
  const processorId: string = paid.json.processor.id;
  await untilHeard(system, processorId, 'payment_intent.succeeded');
  // Others may still be on their way, and whose those are nobody knows yet: they would be both modes'.
  const [event] = (
    await owner.query(
      `UPDATE webhook_inbox SET account_id = $1
        WHERE type = 'payment_intent.succeeded' RETURNING event_id`,
      [system.account.id],
    )
  ).rows;
  return {
    payment,
    refund: refund.json.id,
    operation: operation.id,
    break: broken.id,
    event: event.event_id,
  };
}

export function absentThings(): Things {
  const [payment, refund, operation, broken] = Array.from({ length: 4 }, () => randomUUID()) as [
    string,
    string,
    string,
    string,
  ];
  return { payment, refund, operation, break: broken, event: `evt_${randomUUID()}` };
}

/** `METHOD /path`, of the running application, as Fastify prints its tree. HEAD goes with GET. */
async function routesOf({ core }: System): Promise<string[]> {
  const app = await createApp(core);
  const tree: string = app.getHttpAdapter().getInstance().printRoutes({ commonPrefix: false });
  await app.close();
  const trail: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const found = /^(.*?)[└├]── (\S+)(?: \((.*)\))?/.exec(line);
    if (found === null) return [];
    const [, indent = '', segment = '', methods = ''] = found;
    const depth = indent.length / 4;
    trail.length = depth;
    trail.push(segment);
    const path = trail.join('').replaceAll(/\/{2,}/g, '/');
    return methods
      .split(', ')
      .filter((method) => !['', 'HEAD'].includes(method))
      .map((method) => `${method} ${path}`);
  });
}
