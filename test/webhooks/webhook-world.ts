import { createHmac, randomUUID } from 'node:crypto';
import { deriveProcessorKey } from '#idempotency/processor-key.js';
import { DEMO_WEBHOOK_SECRET } from '#platform/config.js';
import type { Answer } from '#testing/http.js';
import type { System } from '#testing/system.js';
import { until } from '#testing/until.js';

export type InboxRow = {
  event_id: string;
  type: string;
  state: string;
  reason: string | null;
  tries: number;
  waits: number;
  deliveries: number;
  payload: string;
  payment_id: string | null;
  is_ordered: boolean;
};

/** An event, as a processor would tell it of one of our charges, or of something else. */
export function eventOf(object: object, change: object = {}): Record<string, unknown> {
  return {
    id: `evt_${randomUUID()}`,
    object: 'event',
    created: Math.floor(Date.now() / 1_000),
    type: 'payment_intent.succeeded',
    data: { object: { id: 'pi_none', object: 'payment_intent', metadata: {}, ...object } },
    ...change,
  };
}

/** What the metadata of a charge under this key says. */
export function referenceOf(accountId: string, key: string): object {
  const metadata = {
    payonce_account: accountId,
    payonce_intent: deriveProcessorKey(accountId, 'charge', key),
  };
  return { metadata };
}

export function signatureOf(
  body: string | Buffer,
  { secret = DEMO_WEBHOOK_SECRET, offSeconds = 0 } = {},
): string {
  const seconds = Math.floor(Date.now() / 1_000) + offSeconds;
  const mac = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
  return `t=${seconds},v1=${mac}`;
}

/** Delivers a body as it is, signed unless told otherwise. */
export function deliver(
  { client }: System,
  body: string | Buffer | object,
  headers?: Record<string, string>,
): Promise<Answer> {
  const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  return client.send('POST', '/webhooks/stripe', {
    body: bytes,
    headers: headers ?? { 'stripe-signature': signatureOf(bytes) },
  });
}

export async function inboxOf({ owner }: System, eventId?: unknown): Promise<InboxRow[]> {
  const { rows } = await owner.query<InboxRow>(
    `SELECT event_id, type, state, reason, tries, waits, deliveries, payload, payment_id,
            first_delivered_at <= last_delivered_at AS is_ordered
       FROM webhook_inbox
      WHERE $1::text IS NULL OR event_id = $1
      ORDER BY stored_at, event_id`,
    [eventId ?? null],
  );
  return rows;
}

/** Waits until so many events of a type have come in. */
export function untilReceived(system: System, type: string, count = 1): Promise<void> {
  return until(async () => {
    const rows = await inboxOf(system);
    return rows.filter((row) => row.type === type).length >= count;
  });
}

/** Waits until an event of a type has come in about one object of the processor. */
export function untilHeard({ owner }: System, objectId: string, type: string): Promise<void> {
  return until(async () => {
    const found = await owner.query(
      'SELECT FROM webhook_inbox WHERE object_id = $1 AND type = $2',
      [objectId, type],
    );
    return (found.rowCount ?? 0) > 0;
  });
}

export async function statusOf({ owner }: System, paymentId: string): Promise<string> {
  const { rows } = await owner.query('SELECT status FROM payments WHERE id = $1', [paymentId]);
  return rows[0].status;
}

/** Waits until the processor has told all that it has to tell: what came later would meet another clock. */
export function untilTold({ mockClient }: System): Promise<void> {
  return until(async () => (await mockClient.control('GET', 'state')).json.events_owed === 0);
}

/** Sweeps and moves the clock until nothing waits any more. */
export async function applyAll(system: System, passes = 20): Promise<void> {
  for (let pass = 0; pass < passes; pass++) {
    await untilTold(system);
    await system.sweepInbox();
    const rows = await inboxOf(system);
    if (rows.every(({ state }) => state !== 'received')) return;
    await system.advance(10_000);
  }
  const left = (await inboxOf(system)).filter(({ state }) => state === 'received');
  throw new Error(`still waiting: ${JSON.stringify(left)}`);
}

/** Something happens at the processor by itself. Returns when its events have come in. */
export async function happens(
  system: System,
  kind: string,
  more: Record<string, unknown> = {},
): Promise<void> {
  const { status, text, json } = await system.mockClient.control('POST', 'events', {
    kind,
    ...more,
  });
  if (status !== 200) throw new Error(`The mock answered ${status}: ${text}`);
  await until(async () => {
    const known = new Set((await inboxOf(system)).map(({ event_id }) => event_id));
    return json.events.every((id: string) => known.has(id));
  });
}

/** Recovery leaves everything alone for as long as the test runs, so that news alone can settle it. */
export async function holdRecoveryBack({ owner }: System): Promise<void> {
  await owner.query(`UPDATE unresolved SET next_try_at = next_try_at + interval '10 years'`);
}

/** What would wake somebody; that test databases may forget is said at each boot. */
export function criticals({ log }: System): System['log'] {
  return log.filter(({ level, event }) => level === 'critical' && event !== 'database_not_durable');
}
