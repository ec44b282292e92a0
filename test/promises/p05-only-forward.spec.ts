import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Lease } from '#payments/lease.js';
import {
  PAYMENT_STATUSES,
  TRANSITIONS,
  TRANSITIONS_BY_ACCEPTING,
  mayMove,
  mayMoveByAccepting,
} from '#payments/payment-status.js';
import { recordOutcome } from '#payments/record-outcome.js';
import type { FinalOutcome } from '#payments/settlement.js';
import { takeUp } from '#payments/take-up.js';
import { refusalOf } from '#testing/sessions.js';
import { type System, startSystem } from '#testing/system.js';

const PAIRS = PAYMENT_STATUSES.flatMap((from) =>
  PAYMENT_STATUSES.filter((to) => to !== from).map((to) => ({ from, to })),
);

describe('P5: a payment only moves forward', () => {
  let system: System;
  beforeAll(async () => void (system = await startSystem({ bendTime: true })));
  afterAll(() => system.close());

  it.each(PAIRS)('$from to $to: the table and the trigger agree', async ({ from, to }) => {
    const id = await plant(from);
    const refused = await refusalOf(
      system.owner,
      `UPDATE payments SET status = $2, settled_at = now(), processor_id = 'pi', failure_code = 'x' WHERE id = $1`,
      [id, to],
    );
    expect(refused?.constraint ?? null).toBe(mayMove(from, to) ? null : 'payments_only_forward');
  });

  it.each(PAIRS)('$from to $to, accepted late: they agree again', async ({ from, to }) => {
    const id = await plant(from);
    const move = (breakId: string) =>
      refusalOf(
        system.owner,
        `UPDATE payments SET status = $2, settled_at = now(), processor_id = 'pi', failure_code = 'x',
                             accepted_break_id = $3
          WHERE id = $1`,
        [id, to, breakId],
      );
    const refused = await move(await plantBreak(id));
    const expected = mayMoveByAccepting(from, to) ? null : 'payments_only_forward';
    expect(refused?.constraint ?? null).toBe(expected);
  });

  it.each([
    ['of another payment', async () => plantBreak(await plant('failed'))],
    ['of another kind', (id: string) => plantBreak(id, { kind: 'dispute_excess' })],
    ['that is closed', (id: string) => plantBreak(id, { status: 'closed' })],
    ['that is not there', async () => randomUUID()],
    ['that is none', async () => null],
  ])('a late success %s accepts nothing', async (_what, breakOf) => {
    const id = await plant('failed');
    const refused = await refusalOf(
      system.owner,
      `UPDATE payments SET status = 'succeeded', processor_id = 'pi', accepted_break_id = $2 WHERE id = $1`,
      [id, await breakOf(id)],
    );
    expect(refused?.constraint).toBe('payments_only_forward');
  });

  it('so does the page with the diagram, which is printed from the table', async () => {
    await expect(statesPage()).toMatchFileSnapshot(
      join(import.meta.dirname, '../../docs/states.md'),
    );
  });

  it('a final state needs its evidence', async () => {
    for (const status of ['succeeded', 'failed']) {
      const refused = await refusalOf(
        system.owner,
        'UPDATE payments SET status = $2 WHERE id = $1',
        [await plant('pending'), status],
      );
      expect(refused).toMatchObject({ constraint: 'payments_final_has_evidence' });
    }
  });

  it('a run that lost its lease changes nothing, before and after the new owner records', async () => {
    const [stale, current] = await twoLeases();
    const before = await everything(current.payment.id);
    const early = await recordOutcome(system.core.deps, stale, charged(stale));
    expect(early.status).toBe(202);
    expect(await everything(current.payment.id)).toEqual(before);

    const recorded = await recordOutcome(system.core.deps, current, charged(current));
    expect(recorded.status).toBe(201);
    const after = await everything(current.payment.id);
    const late = await recordOutcome(system.core.deps, stale, charged(stale));
    expect([late.status, late.body]).toEqual([201, recorded.body]);
    expect(await everything(current.payment.id)).toEqual(after);
    expect(alarms(current)).toEqual([]);
  });

  it('late news of another kind leaves the payment as it was, wakes somebody, and keeps the money', async () => {
    const [stale, current] = await twoLeases();
    const recorded = await recordOutcome(system.core.deps, current, declined());
    expect(recorded.status).toBe(402);
    const { id } = current.payment;
    const { payment, entries: _none, events: _one, ...rest } = await everything(id);
    for (let run = 0; run < 2; run++) {
      const late = await recordOutcome(system.core.deps, stale, charged(stale));
      expect([late.status, late.body]).toEqual([402, recorded.body]);
      const { payment: after, entries, events, ...others } = await everything(id);
      expect(after).toEqual({ ...payment, event_sequence: 2 });
      expect(others).toEqual(rest);
      expect(entries).toMatchObject([{ entry_kind: 'late_success', credit_account: 'suspense' }]);
      expect(events).toMatchObject([{ type: 'payment.failed' }, { type: 'payment.late_success' }]);
    }
    expect(alarms(current)[0]).toMatchObject({ level: 'critical', recorded: 'failed' });
    const said = system.log.filter(
      ({ event, payment_id }) => event === 'late_success' && payment_id === id,
    );
    expect(said).toMatchObject([{ level: 'critical', processor_id: `pi_${id}` }]);
  });

  it('the same news again, from any number of bearers at once, is recorded once', async () => {
    const [, lease] = await twoLeases();
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => recordOutcome(system.core.deps, lease, charged(lease))),
    );
    const { rows } = await system.owner.query(
      `SELECT (SELECT count(*)::int FROM ledger_entries WHERE payment_id = $1) AS entries,
              (SELECT count(*)::int FROM outbox_events WHERE payment_id = $1) AS events`,
      [lease.payment.id],
    );
    expect(rows).toEqual([{ entries: 1, events: 1 }]);
    for (const { status } of replies) expect([201, 202]).toContain(status);
    expect(
      new Set(replies.filter(({ status }) => status === 201).map(({ body }) => String(body))).size,
    ).toBe(1);
  });

  /** A payment whose outcome is unknown, taken up twice: the first taker's lease has ended. */
  async function twoLeases(): Promise<[Lease, Lease]> {
    const body = { payment_method: 'pm_test_lose_request', order_id: randomUUID() };
    const { status, json } = await system.client.pay(body);
    expect(status).toBe(202);
    const { rows } = await system.owner.query(
      'SELECT account_id, key_hash FROM idempotency_keys WHERE payment_id = $1',
      [json.id],
    );
    const take = async () => {
      const lease = await takeUp(system.core.deps, {
        accountId: rows[0].account_id,
        keyHash: rows[0].key_hash,
        state: 'started',
        ended: false,
        orderOnce: true,
        actor: 'worker',
        requestId: 'wrk_spec',
      });
      if (lease === null) throw new Error('The lease was not free');
      return lease;
    };
    const first = await take();
    await system.advance(31_000);
    return [first, await take()];
  }

  async function plant(status: string): Promise<string> {
    const id = randomUUID();
    await system.owner.query(
      `INSERT INTO payments (account_id, id, status, amount, currency, payment_method, metadata, capture,
                             processor_name, processor_id, failure_code, created_at, settled_at)
       VALUES ($1, $2, $3, 1, 'myr', 'pm', '{}', 'automatic', 'mock',
               CASE WHEN $3 = 'pending' THEN NULL ELSE 'pi' END,
               CASE WHEN $3 = 'failed' THEN 'x' END, now(),
               CASE WHEN $3 IN ('succeeded', 'failed') THEN now() END)`,
      [system.account.id, id, status],
    );
    return id;
  }

  async function plantBreak(
    paymentId: string,
    { kind = 'late_success', status = 'open' } = {},
  ): Promise<string> {
    const { rows } = await system.owner.query(
      `INSERT INTO breaks (account_id, payment_id, processor_name, kind, reference, severity, status, first_seen,
                           last_seen, closed_at, closed_by)
       VALUES ($1, $2::uuid, 'mock', $3, $2::uuid::text, 'critical', $4, now(), now(),
               CASE WHEN $4 = 'closed' THEN now() END, CASE WHEN $4 = 'closed' THEN 'a person' END)
       RETURNING id`,
      [system.account.id, paymentId, kind, status],
    );
    return rows[0].id;
  }

  /** Every row that a record step may touch. */
  async function everything(paymentId: string) {
    const { rows } = await system.owner.query(
      `SELECT (SELECT to_jsonb(p) FROM payments p WHERE id = $1) AS payment,
              (SELECT jsonb_agg(to_jsonb(k)) FROM idempotency_keys k WHERE payment_id = $1) AS key,
              (SELECT jsonb_agg(to_jsonb(a) ORDER BY attempt_no) FROM attempts a
                 JOIN operations o ON o.account_id = a.account_id AND o.id = a.operation_id
                WHERE o.payment_id = $1) AS attempts,
              (SELECT jsonb_agg(to_jsonb(u)) FROM unresolved u WHERE payment_id = $1) AS unresolved,
              (SELECT jsonb_agg(to_jsonb(s)) FROM order_slots s WHERE payment_id = $1) AS slots,
              (SELECT jsonb_agg(to_jsonb(e) ORDER BY id) FROM ledger_entries e WHERE payment_id = $1) AS entries,
              (SELECT jsonb_agg(to_jsonb(e) ORDER BY sequence) FROM outbox_events e WHERE payment_id = $1) AS events`,
      [paymentId],
    );
    return rows[0];
  }

  function alarms({ payment }: Lease) {
    return system.log.filter(
      ({ event, payment_id }) => event === 'late_outcome_differs' && payment_id === payment.id,
    );
  }
});

function charged({ payment }: Lease): FinalOutcome {
  const { amount, currency } = payment;
  return { kind: 'succeeded', processorId: `pi_${payment.id}`, amount, currency, fee: null };
}

function declined(): FinalOutcome {
  return {
    kind: 'declined',
    stored: true,
    declineCode: 'insufficient_funds',
    message: 'Not enough funds.',
    processorId: null,
  };
}

function statesPage(): string {
  const edges = Object.entries(TRANSITIONS).flatMap(([from, tos]) =>
    tos.length === 0 ? [`  ${from} --> [*]`] : tos.map((to) => `  ${from} --> ${to}`),
  );
  const exceptions = Object.entries(TRANSITIONS_BY_ACCEPTING).flatMap(([from, tos]) =>
    tos.map((to) => `  ${from} --> ${to}: a late success is accepted`),
  );
  return [
    '# The states of a payment',
    '',
    '<!-- Printed from libs/payments/src/payment-status.ts by test/promises/p05-only-forward.spec.ts;',
    '     `npm test -- test/promises/p05 -u` prints it anew. -->',
    '',
    '```mermaid',
    'stateDiagram-v2',
    '  [*] --> pending',
    ...edges,
    ...exceptions,
    '```',
    '',
    'A payment only moves along these arrows. The code asks the table',
    '[payment-status.ts](../libs/payments/src/payment-status.ts), the database refuses everything else by the',
    'trigger `payments_only_forward`, and a test asks both about every pair.',
    '',
    'The two arrows with words are the one exception to "only forward". Money that comes after a payment was',
    'final is there, whatever we said before: it stands in suspense, with a break, until a person accepts it or',
    'it is given back. Accepting is the move, and it has to name the open break of this very payment. The',
    'idempotency key goes on replaying the answer that it saved.',
    '',
  ].join('\n');
}
