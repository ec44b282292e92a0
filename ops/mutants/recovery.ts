import { type Mutant, spec } from './mutant.js';

const TAKE_UP_SQL = 'libs/payments/src/take-up.sql.ts';
const P02 = 'test/promises/p02-a-charge-is-always-found.spec.ts';
const CLOSES = `WHEN $6::boolean OR $14::boolean OR ($3::text = 'started' AND NOT earlier.unknown) THEN 'close'`;

/** Errors about leases, and about who comes back to what was left. */
export const RECOVERY_MUTANTS: readonly Mutant[] = [
  {
    id: 'm8',
    kind: 'list',
    what: 'recovery fails what has expired, without asking the processor',
    patches: [
      {
        file: TAKE_UP_SQL,
        find: CLOSES,
        put: CLOSES.replace(
          'NOT earlier.unknown)',
          "(NOT earlier.unknown OR $9::text = 'worker'))",
        ),
      },
    ],
    checks: [spec(P02, 'by the sweep alone, within 90 seconds, after pm_test_lose_response')],
  },
  {
    id: 'm9',
    kind: 'list',
    what: 'recovery does not come back to a claim whose owner died',
    patches: [
      {
        file: 'libs/payments/src/sweep.sql.ts',
        find: "      WHERE state = 'started'\n     ON CONFLICT",
        put: "      WHERE state = 'started' AND false\n     ON CONFLICT",
      },
    ],
    checks: [
      spec(
        'test/recovery/walks.spec.ts',
        'note a claim whose owner died, and the same pass finishes it',
      ),
    ],
  },
  {
    id: 'm13',
    kind: 'list',
    what: 'a lease that is shorter than a run is accepted at boot',
    patches: [
      {
        file: 'libs/payments/src/lease-arithmetic.ts',
        find: '  if (leaseMs > neededMs) return null;',
        put: '  if (leaseMs > 0) return null;',
      },
    ],
    checks: [
      spec(
        'test/docs/design.spec.ts',
        'does not start, and says which settings contradict each other',
      ),
    ],
  },
  {
    id: 'm14',
    kind: 'list',
    what: 'leases are reckoned by the clock of the process',
    patches: [
      {
        file: TAKE_UP_SQL,
        find: "locked_until = payonce_now() + $5::int * interval '1 millisecond'",
        put: 'locked_until = to_timestamp($5::float8 / 1000)',
      },
      {
        file: TAKE_UP_SQL,
        find: "AND ($3::text <> 'started' OR locked_until <= payonce_now()",
        put: "AND ($3::text <> 'started' OR locked_until <= to_timestamp($5::float8 / 1000 - 30)",
      },
      {
        file: 'libs/payments/src/take-up.ts',
        find: '    deps.terms.leaseMs,\n',
        put: '    deps.clock.wallMs() + deps.terms.leaseMs,\n',
      },
    ],
    checks: [
      spec(
        'test/faults/clocks.spec.ts',
        'takes no lease before its end by the database’s clock, and each of them after it',
      ),
    ],
  },
  {
    id: 'm30',
    kind: 'list',
    what: 'SIGTERM ends a process at once',
    patches: [
      {
        file: 'libs/platform/src/service.ts',
        find: '    await running.stop();',
        put: '    void running;',
      },
    ],
    checks: [
      spec(
        'test/crash/request-path.spec.ts',
        'told to end at c5:2 answers what it has begun, and exits with 0',
      ),
    ],
  },
  {
    id: 'm29',
    kind: 'list',
    what: 'a connection whose statement was not confirmed goes back into the pool',
    patches: [
      {
        file: 'libs/postgres/src/db.ts',
        find: '    done(true);\n    throw new StatementUnconfirmed(error);',
        put: '    done(false);\n    throw new StatementUnconfirmed(error);',
      },
    ],
    checks: [
      spec(
        'test/crash/commit.spec.ts',
        'by the client, since the answer to a commit never came: looked up on another connection',
      ),
    ],
  },
  {
    id: 'd15',
    kind: 'design',
    what: 'a sweep sends what was released to its caller',
    patches: [
      {
        file: 'libs/payments/src/sweep-leases.ts',
        find: "  if (due.state === 'released' && !due.ended) return null;\n",
        put: '',
      },
      {
        file: 'libs/payments/src/unresolved.sql.ts',
        find: '              ELSE ends_at\n',
        put: '              ELSE payonce_now()\n',
      },
    ],
    checks: [
      spec(
        'test/promises/p07-never-sent-waits-for-its-caller.spec.ts',
        'and no sweep sends it; on the sixth day its retry charges once',
      ),
    ],
  },
  {
    id: 'd16',
    kind: 'design',
    what: 'queued work that was not sent is released, to a caller who has gone',
    patches: [
      {
        file: 'libs/payments/src/release-key.ts',
        find: '      lease.queued,\n',
        put: '      false,\n',
      },
    ],
    checks: [
      spec(
        'test/recovery/queue.spec.ts',
        'waits twice as long each time, up to 15 minutes, keeps its slot, and ends with its key',
      ),
    ],
  },
  {
    id: 'd17',
    kind: 'design',
    what: 'a takeover keeps the token of the owner before',
    patches: [
      {
        file: TAKE_UP_SQL,
        find: '            lease_token = $4::uuid,\n',
        put: "            lease_token = CASE WHEN $3::text = 'started' THEN lease_token ELSE $4::uuid END,\n",
      },
    ],
    checks: [
      spec(
        'test/promises/p05-only-forward.spec.ts',
        'a run that lost its lease changes nothing, before and after the new owner records',
      ),
    ],
  },
  {
    id: 'd18',
    kind: 'design',
    what: 'an owner is taken over while its session holds its lock',
    patches: [
      {
        file: 'libs/payments/src/orphans.sql.ts',
        find: '    WHERE ${OWNER_IS_GONE}\n',
        put: '    WHERE true OR ${OWNER_IS_GONE}\n',
      },
      {
        file: TAKE_UP_SQL,
        find: 'OR (owner = $12::int AND ${OWNER_IS_GONE}))',
        put: 'OR owner = $12::int)',
      },
      {
        file: 'libs/payments/src/orphans.sql.ts',
        find: '      AND l.classid = ${INSTANCE_LOCKS}\n',
        put: '      AND l.classid = ${INSTANCE_LOCKS} AND false\n',
      },
    ],
    checks: [
      spec(
        'test/recovery/early-takeover.spec.ts',
        'is not taken over while its session holds its lock, nor within the grace after it lost it',
      ),
    ],
  },
  {
    id: 'd19',
    kind: 'design',
    what: 'a cancel does not ask whether something may have been sent',
    patches: [
      {
        file: 'libs/payments/src/cancel.sql.ts',
        find: "        AND state IN ('queued', 'released')\n     RETURNING account_id, key_hash, payment_id\n   ), own",
        put: "        AND state IN ('queued', 'released', 'started')\n     RETURNING account_id, key_hash, payment_id\n   ), own",
      },
    ],
    checks: [
      spec(
        'test/api/cancel-states.spec.ts',
        "by key races with 'the retry of a released one': one wins, and both answers say so",
      ),
    ],
  },
];
