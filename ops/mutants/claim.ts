import { type Mutant, spec } from './mutant.js';

const CLAIM_SQL = 'libs/payments/src/claim.sql.ts';
const CLAIM_KEY = 'libs/payments/src/claim-key.ts';
const FINGERPRINT = 'libs/idempotency/src/fingerprint.ts';
const FINGERPRINT_SPEC = 'libs/idempotency/src/fingerprint.spec.ts';
const CONCURRENCY = 'test/contract/concurrency.spec.ts';

/** Errors about who is first, and about what makes two requests the same. */
export const CLAIM_MUTANTS: readonly Mutant[] = [
  {
    id: 'm1',
    kind: 'list',
    what: 'the key is looked up and then inserted, with no way to lose',
    patches: [
      {
        file: CLAIM_SQL,
        find: `      WHERE hold IS NULL
     ON CONFLICT (account_id, key_hash) DO NOTHING`,
        put: `      WHERE hold IS NULL
        AND NOT EXISTS (SELECT 1 FROM idempotency_keys k WHERE k.account_id = $1 AND k.key_hash = $2)`,
      },
    ],
    checks: [
      spec(
        CONCURRENCY,
        'case 80: the row that a claim waits for is committed and stays: the claim hears of it',
      ),
    ],
  },
  {
    id: 'm10a',
    kind: 'list',
    what: 'the fingerprint of a retry is not compared',
    patches: [
      {
        file: CLAIM_KEY,
        find: `    winner.operation === request.operation &&
    request.matches(winner.fingerprint_version, winner.fingerprint)`,
        put: '    winner.operation === request.operation',
      },
    ],
    checks: [
      spec(CONCURRENCY, 'case 78: of two bodies at once one runs, the other is 422 at once'),
    ],
  },
  {
    id: 'm10b',
    kind: 'list',
    what: 'the fingerprint covers the amount alone',
    fast: true,
    patches: [
      {
        file: FINGERPRINT,
        find: '[1, method, route, params, body],',
        put: '[1, method, route, params, (body as { amount?: unknown } | null)?.amount ?? 0],',
      },
    ],
    checks: [spec(FINGERPRINT_SPEC, 'sees where a member stands')],
  },
  {
    id: 'm10c',
    kind: 'list',
    what: 'the fingerprint leaves out the route and its parameters',
    fast: true,
    patches: [
      { file: FINGERPRINT, find: '[1, method, route, params, body],', put: '[1, method, body],' },
    ],
    checks: [spec(FINGERPRINT_SPEC, 'sees method, route and route parameters')],
  },
  {
    id: 'm11',
    kind: 'list',
    what: 'a key is unique over all accounts',
    patches: [
      {
        file: 'migrations/0004-idempotency.sql',
        find: '  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (account_id, key_hash),',
        put: `  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (account_id, key_hash),
  CONSTRAINT idempotency_keys_everywhere UNIQUE (key_hash),`,
      },
    ],
    checks: [
      spec(
        'test/promises/p08-accounts-apart.spec.ts',
        'the same key and body are two payments, under two keys at the processor',
      ),
    ],
  },
  {
    id: 'm35a',
    kind: 'list',
    what: 'a 503 of the first try is what every retry hears',
    patches: [
      {
        file: CLAIM_KEY,
        find: "      if (problem !== null) return { kind: 'refused', problem };",
        put: "      if (problem !== null || winner.state === 'released')\n        return { kind: 'refused', problem: problem ?? { code: 'processor_unavailable' } };",
      },
    ],
    checks: [
      spec(
        'test/promises/p07-nothing-happened-is-not-saved.spec.ts',
        'the processor is not there: released, for six days and however often, then charged',
      ),
    ],
  },
  {
    id: 'm35b',
    kind: 'list',
    what: 'a request that broke a rule uses up its key',
    patches: [
      {
        file: CLAIM_KEY,
        find: "  return winner ? decide(deps, request, claiming, winner, problem) : { kind: 'refused', problem };",
        put: `  if (winner) return decide(deps, request, claiming, winner, problem);
  await deps.db.run(BURY_KEY, [request.account.id, request.keyHash, request.fingerprint, request.fingerprintVersion, request.requestId]);
  return { kind: 'refused', problem };`,
      },
      {
        file: CLAIM_KEY,
        find: "import type { Deps } from './deps.js';",
        put: "import type { Deps } from './deps.js';\nimport { BURY_KEY } from './cancel.sql.js';",
      },
    ],
    checks: [
      spec(
        'test/promises/p07-nothing-happened-is-not-saved.spec.ts',
        'refused by validation: no row at all, and the fixed request runs',
      ),
    ],
  },
  {
    id: 'd1a',
    kind: 'design',
    what: 'the processor’s key is drawn, not derived from the intent',
    fast: true,
    patches: [
      {
        file: 'libs/idempotency/src/processor-key.ts',
        find: '  return uuid8(hash.digest());',
        put: '  return uuid8(createHash("sha256").update(String(performance.now())).digest());',
      },
    ],
    checks: [
      spec('libs/idempotency/src/processor-key.spec.ts', `a charge ${'~'.repeat(255)}`),
      spec(
        'test/promises/p01-after-a-restore.spec.ts',
        'derives the same key and the same bytes again, and adopts the charge that exists',
      ),
    ],
  },
  {
    id: 'd2',
    kind: 'design',
    what: 'a claim whose confirmation was lost does not know its own token',
    patches: [
      {
        file: 'libs/payments/src/claim-intent.ts',
        find: '  if (winner.running && winner.lease_token === token) {',
        put: "  if (winner.running && winner.lease_token === 'nobody’s' + token) {",
      },
    ],
    checks: [
      spec(
        'test/crash/commit.spec.ts',
        'around the claim: it is recognised by its own token and charged in the same request',
      ),
    ],
  },
  {
    id: 'd3',
    kind: 'design',
    what: 'a rule or a limit is told before the key is looked up',
    patches: [
      {
        file: CLAIM_KEY,
        find: '        : await readWinner(deps, request, claiming, problem);',
        put: "        : ({ kind: 'refused', problem } as const);",
      },
    ],
    checks: [
      spec(
        'test/promises/p09-overload-is-answered-early.spec.ts',
        'too many in flight: 429, nothing stored; a finished key replays all the same',
      ),
    ],
  },
  {
    id: 'd4a',
    kind: 'design',
    what: 'no claim takes its order’s slot',
    patches: [
      {
        file: CLAIM_SQL,
        find: 'WHERE $13::text IS NOT NULL AND $18::boolean',
        put: 'WHERE $13::text IS NOT NULL AND $18::boolean AND false',
      },
    ],
    checks: [
      spec(
        CONCURRENCY,
        'case 91: a fresh key for an order whose payment is unknown is refused, and stays unused',
      ),
    ],
  },
  {
    id: 'd4b',
    kind: 'design',
    what: 'an order’s slot is free as soon as its payment has succeeded',
    patches: [
      {
        file: 'libs/payments/src/record.sql.ts',
        find: "AND s.payment_id = payment.id AND payment.status = 'failed'",
        put: "AND s.payment_id = payment.id AND payment.status IN ('failed', 'succeeded')",
      },
    ],
    checks: [
      spec(
        'test/crash/record-step.spec.ts',
        "at 'payments' leaves nothing of it, answers 202, and recovery finishes later",
      ),
    ],
  },
  {
    id: 'd5',
    kind: 'design',
    what: 'a replay is rendered anew instead of read as bytes',
    patches: [
      {
        file: CLAIM_KEY,
        find: '    body: winner.answer_body ?? Buffer.alloc(0),',
        put: '    body: Buffer.from(JSON.stringify(JSON.parse(String(winner.answer_body)), null, 1)),',
      },
    ],
    checks: [
      spec(
        'test/promises/p01-one-charge-per-intent.spec.ts',
        'charges once and replays the same bytes',
      ),
    ],
  },
];
