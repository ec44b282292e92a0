import { type Mutant, spec } from './mutant.js';

const RECORD_SQL = 'libs/payments/src/record.sql.ts';
const RECORD = 'libs/payments/src/record-outcome.ts';
const FINISHED_KEY = 'libs/payments/src/finished-key.sql.ts';
const P05 = 'test/promises/p05-only-forward.spec.ts';
const COMMIT = 'test/crash/commit.spec.ts';
const RECORDED =
  '    const reply = moved ? settlement.reply : await alreadyMoved(deps, lease, outcome, settlement);';

/** Errors about the one commit that makes an outcome true. */
export const RECORD_MUTANTS: readonly Mutant[] = [
  {
    id: 'm2',
    kind: 'list',
    what: 'the ledger may hold a kind of entry twice for one payment',
    patches: [
      {
        file: 'migrations/0005-ledger-and-outbox.sql',
        find: '  CONSTRAINT ledger_entries_once UNIQUE (account_id, payment_id, entry_kind, source_id),\n',
        put: '',
      },
    ],
    checks: [
      spec(
        'test/promises/p04-the-ledger-only-grows.spec.ts',
        'refuses the second row of a kind by its constraint alone, whatever code believes',
      ),
    ],
  },
  {
    id: 'm5',
    kind: 'list',
    what: 'an error on COMMIT is taken for a rollback, and the caller hears that it failed',
    patches: [
      {
        file: RECORD,
        find: `    });
  }
  return unsettledReply(lease, 'unknown');
}`,
        put: `    });
  }
  return { ...unsettledReply(lease, 'unknown'), status: 402 };
}`,
      },
    ],
    checks: [spec(COMMIT, 'at the record step and at every look after it: 202')],
  },
  {
    id: 'm6',
    kind: 'list',
    what: 'the event is written after the commit that it tells of',
    patches: [
      {
        file: RECORD_SQL,
        find: `     INSERT INTO outbox_events (account_id, payment_id, sequence, type, payload)
     SELECT account_id, id, event_sequence, $18::text, $19::json
       FROM payment
   ), answer`,
        put: `     SELECT 1 WHERE $18::text IS NULL AND $19::json IS NULL
   ), answer`,
      },
      {
        file: RECORD,
        find: RECORDED,
        put: `    if (moved && lease.operation.kind === 'charge') {
      const later = {
        name: 'payments.event_later',
        text: \`INSERT INTO outbox_events (account_id, payment_id, sequence, type, payload)
               SELECT account_id, id, event_sequence, $3::text, $4::json FROM payments
                WHERE account_id = $1::uuid AND id = $2::uuid\`,
      };
      const { type, payload } = settlement.event;
      await deps.db.run(later as never, [lease.accountId, lease.payment.id, type, payload]);
    }
${RECORDED}`,
      },
    ],
    checks: [
      spec(
        'test/promises/p10-events-in-the-same-transaction.spec.ts',
        'a payment and its event carry one transaction’s number, and the event tells the payment',
      ),
      spec(
        'test/crash/record-step.spec.ts',
        "at 'outbox_events' leaves nothing of it, answers 202, and recovery finishes later",
      ),
    ],
  },
  {
    id: 'm7',
    kind: 'list',
    what: 'the answer is saved after the commit that makes it true',
    patches: [
      {
        file: RECORD_SQL,
        find: `     INSERT INTO saved_answers (answer_day, account_id, key_hash, status, content_type, location, body)
     SELECT key.answer_day, key.account_id, key.key_hash, $20::smallint, $21::text, $22::text, $23::bytea
       FROM key, payment
   ), resolved`,
        put: `     SELECT 1 WHERE $20::smallint IS NULL AND $21::text IS NULL AND $22::text IS NULL AND $23::bytea IS NULL
   ), resolved`,
      },
      {
        file: RECORD,
        find: RECORDED,
        put: `    if (moved && lease.operation.kind === 'charge') {
      const later = {
        name: 'payments.answer_later',
        text: \`INSERT INTO saved_answers (answer_day, account_id, key_hash, status, content_type, location, body)
               SELECT answer_day, account_id, key_hash, $3::smallint, $4::text, $5::text, $6::bytea
                 FROM idempotency_keys WHERE account_id = $1::uuid AND key_hash = $2::bytea\`,
      };
      const { status, contentType, location, body } = settlement.reply;
      await deps.db.run(later as never, [lease.accountId, lease.keyHash, status, contentType, location, body]);
    }
${RECORDED}`,
      },
    ],
    checks: [
      spec(
        'test/crash/record-step.spec.ts',
        "at 'saved_answers' leaves nothing of it, answers 202, and recovery finishes later",
      ),
    ],
  },
  {
    id: 'm12',
    kind: 'list',
    what: 'the record step does not ask for the lease token',
    patches: [
      {
        file: FINISHED_KEY,
        find: 'AND lease_token = $3::uuid',
        put: 'AND $3::uuid IS NOT NULL',
      },
    ],
    checks: [
      spec(
        P05,
        'a run that lost its lease changes nothing, before and after the new owner records',
      ),
    ],
  },
  {
    id: 'd11',
    kind: 'design',
    what: 'a final answer is given from memory, before its commit is confirmed',
    patches: [
      {
        file: RECORD,
        find: `    });
  }
  return unsettledReply(lease, 'unknown');
}`,
        put: `    });
  }
  return settlement.reply;
}`,
      },
    ],
    checks: [spec(COMMIT, 'at the record step and at every look after it: 202')],
  },
  {
    id: 'd12',
    kind: 'design',
    what: 'a second record step does not compare what it brings with what is there',
    patches: [
      {
        file: RECORD,
        find: '  if (!recorded || !isSame(lease, outcome, settlement, recorded)) {',
        put: '  if (!recorded) {',
      },
    ],
    checks: [
      spec(
        P05,
        'late news of another kind leaves the payment as it was, wakes somebody, and keeps the money',
      ),
    ],
  },
  {
    id: 'd13a',
    kind: 'design',
    what: 'the record step has no guard left: the ledger’s unique rule alone refuses its second booking',
    patches: [
      { file: RECORD_SQL, find: "\n        AND p.status = 'pending'", put: '' },
      {
        file: FINISHED_KEY,
        find: `        AND state = 'started'
        AND lease_token = $3::uuid`,
        put: '        AND $3::uuid IS NOT NULL',
      },
    ],
    checks: [
      spec(
        P05,
        'a run that lost its lease changes nothing, before and after the new owner records',
      ),
    ],
  },
  {
    id: 'd13b',
    kind: 'design',
    what: 'and that rule is gone as well',
    patches: [
      { file: RECORD_SQL, find: "\n        AND p.status = 'pending'", put: '' },
      {
        file: FINISHED_KEY,
        find: `        AND state = 'started'
        AND lease_token = $3::uuid`,
        put: '        AND $3::uuid IS NOT NULL',
      },
      {
        file: 'migrations/0005-ledger-and-outbox.sql',
        find: '  CONSTRAINT ledger_entries_once UNIQUE (account_id, payment_id, entry_kind, source_id),\n',
        put: '',
      },
    ],
    checks: [
      spec(
        'test/promises/p04-the-ledger-only-grows.spec.ts',
        'booked once by a record step that runs twice with the guards taken away',
      ),
    ],
  },
  {
    id: 'd14',
    kind: 'design',
    what: 'the ledger lets its owner delete',
    patches: [
      {
        file: 'migrations/0005-ledger-and-outbox.sql',
        find: '  BEFORE UPDATE OR DELETE ON ledger_entries',
        put: '  BEFORE UPDATE ON ledger_entries',
      },
    ],
    checks: [
      spec(
        'test/database/rights.spec.ts',
        'DELETE FROM ledger_entries: the trigger stands in the way',
      ),
    ],
  },
];
