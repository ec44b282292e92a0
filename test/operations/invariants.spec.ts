import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type System, startSystem } from '#testing/system.js';
import { invariantSweep } from '../../apps/recovery-worker/src/invariants.js';
import { type Made, disputed, everyPayment, late, made, step } from './invariant-world.js';

const SETTLED_MS = 61_000;
const GUARDS = [
  ['payments', 'payments_only_forward'],
  ['payments', 'payments_refunds_within_captured'],
  ['ledger_entries', 'ledger_entries_no_change'],
] as const;

type Violated = {
  invariant: string;
  what: string;
  lay: (system: System) => Promise<Made>;
  texts: string[];
};

const charged = (system: System) => made(system, 201);
const unknown = (system: System) => made(system, 202, { payment_method: 'pm_test_lose_request' });
const refunded = async (system: System) => {
  const payment = await charged(system);
  await step(system, payment, 'refunds', 201, {});
  return payment;
};
const OF_ITS_KEY = `key_hash IN (SELECT key_hash FROM idempotency_keys WHERE payment_id = $1)`;
const FORGET_ANSWER = `DELETE FROM saved_answers WHERE ${OF_ITS_KEY}`;
const SAVE_ANSWER = `
  INSERT INTO saved_answers (answer_day, account_id, key_hash, status, content_type, body)
  SELECT (payonce_now() AT TIME ZONE 'UTC')::date, account_id, key_hash, 201, 'application/json', '{}'
    FROM idempotency_keys WHERE payment_id = $1`;
const FINISH_KEY = `
  UPDATE idempotency_keys SET state = 'finished', answer_day = (payonce_now() AT TIME ZONE 'UTC')::date
   WHERE payment_id = $1`;
const UNBOOK = (kind: string) =>
  `DELETE FROM ledger_entries WHERE payment_id = $1 AND entry_kind = '${kind}'`;

/** Each breaks one invariant and no other. */
const VIOLATIONS: Violated[] = [
  {
    invariant: 'key_has_its_operation',
    what: 'an operation that is another',
    lay: charged,
    texts: ['UPDATE idempotency_keys SET operation_id = payonce_uuid_v7() WHERE payment_id = $1'],
  },
  {
    invariant: 'finished_key_has_its_answer',
    what: 'an answer that is gone',
    lay: charged,
    texts: [FORGET_ANSWER],
  },
  {
    invariant: 'finished_key_has_its_answer',
    what: 'an answer before the end',
    lay: unknown,
    texts: [SAVE_ANSWER],
  },
  {
    invariant: 'finished_key_has_its_outcome',
    what: 'a finished key of a pending payment',
    lay: unknown,
    texts: [FINISH_KEY, SAVE_ANSWER],
  },
  {
    invariant: 'finished_key_has_its_outcome',
    what: 'a released key of a charge that was made',
    lay: charged,
    texts: [
      FORGET_ANSWER,
      `UPDATE idempotency_keys SET state = 'released', answer_day = NULL WHERE payment_id = $1`,
    ],
  },
  {
    invariant: 'payment_has_one_charge',
    what: 'a charge of another amount',
    lay: charged,
    texts: ['UPDATE operations SET amount = amount + 1 WHERE payment_id = $1'],
  },
  {
    invariant: 'status_has_its_evidence',
    what: 'an authorization without the processor’s id',
    lay: (system) => made(system, 201, { capture: 'manual' }),
    texts: ['UPDATE payments SET processor_id = NULL WHERE id = $1'],
  },
  {
    invariant: 'status_has_its_evidence',
    what: 'a failure without a reason',
    lay: (system) => made(system, 402, { payment_method: 'pm_card_chargeDeclined' }),
    texts: [
      'ALTER TABLE payments DROP CONSTRAINT payments_final_has_evidence',
      'UPDATE payments SET failure_code = NULL WHERE id = $1',
    ],
  },
  {
    invariant: 'status_has_its_amount',
    what: 'a success of nothing',
    lay: charged,
    texts: ['UPDATE payments SET amount_captured = 0 WHERE id = $1', UNBOOK('charge')],
  },
  {
    invariant: 'status_has_its_event',
    what: 'a success that nobody was told of',
    lay: charged,
    texts: [`UPDATE outbox_events SET type = 'payment.failed' WHERE payment_id = $1`],
  },
  {
    invariant: 'events_are_numbered',
    what: 'a lost event',
    lay: refunded,
    texts: [`DELETE FROM outbox_events WHERE payment_id = $1 AND type LIKE 'refund.%'`],
  },
  {
    invariant: 'entries_are_on_their_accounts',
    what: 'a charge into suspense',
    lay: charged,
    texts: [
      `UPDATE ledger_entries SET credit_account = 'suspense' WHERE payment_id = $1 AND entry_kind = 'charge'`,
    ],
  },
  {
    invariant: 'captured_is_booked_once',
    what: 'a charge that is not booked',
    lay: charged,
    texts: [UNBOOK('charge')],
  },
  {
    invariant: 'captured_is_booked_once',
    what: 'a charge that is booked in halves',
    lay: charged,
    texts: [
      `INSERT INTO ledger_entries (account_id, payment_id, source_id, entry_kind, debit_account, credit_account,
                                   amount, currency, effective_at)
       SELECT account_id, payment_id, payonce_uuid_v7(), 'capture', debit_account, credit_account, 1000, currency,
              effective_at
         FROM ledger_entries WHERE payment_id = $1 AND entry_kind = 'charge'`,
      `UPDATE ledger_entries SET amount = amount - 1000 WHERE payment_id = $1 AND entry_kind = 'charge'`,
    ],
  },
  {
    invariant: 'refunds_are_booked',
    what: 'a refund that is not booked',
    lay: refunded,
    texts: [UNBOOK('refund')],
  },
  {
    invariant: 'refunds_are_booked',
    what: 'an amount that no refund explains',
    lay: charged,
    texts: ['UPDATE payments SET amount_reserved = 1 WHERE id = $1'],
  },
  {
    invariant: 'refunds_are_within_captured',
    what: 'more refunded than captured',
    lay: refunded,
    texts: [
      'UPDATE refunds SET amount = amount + 1 WHERE payment_id = $1',
      'UPDATE payments SET amount_reserved = 2501, amount_refunded = 2501 WHERE id = $1',
      `UPDATE ledger_entries SET amount = 2501 WHERE payment_id = $1 AND entry_kind = 'refund'`,
    ],
  },
  {
    invariant: 'disputes_are_booked',
    what: 'a dispute that is not booked',
    lay: async (system) => disputed(system, await charged(system), 'dispute_opened'),
    texts: [UNBOOK('dispute')],
  },
  {
    invariant: 'suspense_is_open_breaks',
    what: 'a break that was closed over money',
    lay: late,
    texts: [
      `UPDATE breaks SET status = 'closed', closed_at = payonce_now(), closed_by = 'x' WHERE payment_id = $1`,
    ],
  },
];

const KINDS_OF_ROWS = `
  SELECT (SELECT array_agg(DISTINCT state ORDER BY state) FROM idempotency_keys) AS states,
         (SELECT array_agg(DISTINCT status ORDER BY status) FROM payments) AS statuses,
         (SELECT array_agg(DISTINCT status ORDER BY status) FROM refunds) AS refunds,
         (SELECT array_agg(DISTINCT status ORDER BY status) FROM disputes) AS disputes,
         (SELECT array_agg(DISTINCT entry_kind) FROM ledger_entries) AS kinds`;

/** 900 tombstones of long ago; three of them name an operation, which none has. */
const PLANT_CLAIMS = `
  INSERT INTO idempotency_keys (account_id, key_hash, claim_id, operation, fingerprint, fingerprint_version, state,
                                locked_until, lease_token, operation_id, request_id, claimed_at, ends_at)
  SELECT $1::uuid, sha256(int8send(n)), claim.id, 'POST /v1/payments', sha256(''), 0, 'canceled', now(), claim.id,
         CASE WHEN n IN (1, 400, 900) THEN claim.id END, 'req', now(), now()
    FROM generate_series(1, 900) AS n,
         LATERAL (SELECT ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid AS id) AS claim`;

describe('the invariants, checked by the worker', () => {
  let system: System;
  let worker: ReturnType<typeof invariantSweep>;
  beforeAll(async () => {
    system = await startSystem({ bendTime: true, webhooks: true });
    worker = invariantSweep(system.core);
  });
  afterAll(() => system.close());

  /** What one pass says aloud. */
  async function told(event = 'invariant_violated'): Promise<System['log']> {
    const before = system.log.length;
    await system.advance(SETTLED_MS);
    expect(await worker.runOnce()).toBe('done');
    return system.log.slice(before).filter((line) => line.event === event);
  }

  /** As its superuser, and with every guard off for this one transaction. */
  async function plant({ id }: Made, ...texts: string[]): Promise<void> {
    const { owner } = system;
    await owner.query('BEGIN; SET LOCAL session_replication_role = replica');
    for (const [table, trigger] of GUARDS) {
      await owner.query(`ALTER TABLE ${table} DISABLE TRIGGER ${trigger}`);
    }
    for (const text of texts) await owner.query(text.replaceAll('$1', `'${id}'`));
    for (const [table, trigger] of GUARDS) {
      await owner.query(`ALTER TABLE ${table} ENABLE ALWAYS TRIGGER ${trigger}`);
    }
    await owner.query('COMMIT');
  }

  it('hold for a payment of every kind', async () => {
    await everyPayment(system);
    expect(await told()).toEqual([]);
    const { rows } = await system.owner.query(KINDS_OF_ROWS);
    expect(rows[0]).toMatchObject({
      states: ['canceled', 'finished', 'queued', 'released', 'started'],
      statuses: ['authorized', 'canceled', 'failed', 'pending', 'succeeded'],
      refunds: ['failed', 'pending', 'succeeded'],
      disputes: ['lost', 'open', 'won'],
      kinds: expect.arrayContaining(['late_success_accepted', 'dispute_excess', 'capture']),
    });
  });

  it.each(VIOLATIONS)('$invariant: $what is told, once', async ({ invariant, lay, texts }) => {
    const payment = await lay(system);
    expect(await told()).toEqual([]);
    await plant(payment, ...texts);
    expect(await told()).toMatchObject([
      { level: 'critical', invariant, account_id: system.account.id, payment_id: payment.id },
    ]);
    expect(await told()).toEqual([]);
  });

  it('tell when they hold again, and then anew', async () => {
    const payment = await made(system, 201);
    const wrong = 'UPDATE payments SET event_sequence = event_sequence + 1 WHERE id = $1';
    await plant(payment, wrong);
    expect(await told()).toHaveLength(1);
    await plant(payment, wrong.replace('+ 1', '- 1'));
    expect(await told('invariant_restored')).toMatchObject([
      { level: 'info', invariant: 'events_are_numbered', payment_id: payment.id },
    ]);
    await plant(payment, wrong);
    expect(await told()).toHaveLength(1);
  });
});

describe('a pass over more claims than it may look at', () => {
  let system: System;
  beforeAll(async () => void (system = await startSystem()));
  afterAll(() => system.close());

  it('looks at the newest, and comes to every other in its turn; so many faults are one line', async () => {
    await system.owner.query(PLANT_CLAIMS, [system.account.id]);
    const worker = invariantSweep(system.core);
    const criticals = async () => {
      const before = system.log.length;
      await worker.runOnce();
      return system.log.slice(before).filter(({ level }) => level === 'critical');
    };
    const claimOf = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
    const claimsOf = (lines: System['log']) => lines.map(({ claim_id }) => claim_id);
    // 1 and 900 of 900 are wrong, and so is 400; a pass takes 250 from each end.
    expect(claimsOf(await criticals())).toEqual([claimOf(1), claimOf(900)]);
    expect(claimsOf(await criticals())).toEqual([claimOf(400)]);
    await system.owner.query(`UPDATE idempotency_keys SET operation_id = claim_id`);
    const flood = await criticals();
    expect(flood).toHaveLength(198);
    expect(flood.at(-1)).toMatchObject({ event: 'invariants_violated_widely', told: 200 });
    expect(await criticals()).toEqual([]);
  });
});
