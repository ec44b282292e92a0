import { type Mutant, spec } from './mutant.js';

const CLAIM_STEP = 'libs/payments/src/claim-step.sql.ts';
const REFUNDS = 'migrations/0010-captures-voids-refunds.sql';
const P06 = 'test/promises/p06-never-more-than-was-captured.spec.ts';
const FITS = '    IF NEW.amount_reserved + NEW.amount_disputed > NEW.amount_captured THEN';

/** Errors about amounts, what may be given back, what survives a crash, and who may see it. */
export const MONEY_MUTANTS: readonly Mutant[] = [
  {
    id: 'm18',
    kind: 'list',
    what: 'what is left for a refund is read without a lock',
    patches: [
      { file: REFUNDS, find: FITS, put: '    IF false THEN' },
      {
        file: CLAIM_STEP,
        find: `       JOIN payments p ON p.account_id = $1::uuid AND p.id = key.payment_id
        FOR NO KEY UPDATE OF p
   ), \${operation(actor)}, refund AS (`,
        put: `       JOIN payments p ON p.account_id = $1::uuid AND p.id = key.payment_id
   ), unlocked AS MATERIALIZED (
     SELECT CASE WHEN p.amount_captured - p.amount_reserved - p.amount_disputed >= coalesce($13::bigint, 0) THEN true
                 ELSE payonce_refuse('payments_refunds_within_captured') END AS fits
       FROM key
       JOIN payments p ON p.account_id = $1::uuid AND p.id = key.payment_id
   ), \${operation(actor)}, refund AS (`,
      },
      {
        file: CLAIM_STEP,
        find: "    WHERE CASE WHEN key.key_hash IS NULL OR $23::uuid IS NOT NULL OR payment.status = 'succeeded' THEN true",
        put: "    WHERE (SELECT coalesce(bool_and(fits), true) FROM unlocked)\n      AND CASE WHEN key.key_hash IS NULL OR $23::uuid IS NOT NULL OR payment.status = 'succeeded' THEN true",
      },
    ],
    checks: [
      spec(P06, 'each with its own key: what is accepted fits, the rest hears what is left'),
    ],
  },
  {
    id: 'm19',
    kind: 'list',
    what: 'refunds that are pending do not count',
    patches: [
      {
        file: REFUNDS,
        find: FITS,
        put: '    IF NEW.amount_reserved - OLD.amount_reserved + NEW.amount_refunded + NEW.amount_disputed > NEW.amount_captured THEN',
      },
    ],
    checks: [spec(P06, '501 more beside 1000 reserved and 1000 disputed: false')],
  },
  {
    id: 'm24',
    kind: 'list',
    what: 'a commit does not wait for the disk',
    patches: [
      {
        file: 'libs/postgres/src/pool.ts',
        find: '    max: connectionsMax,\n',
        put: "    max: connectionsMax,\n    options: '-c synchronous_commit=off',\n",
      },
    ],
    checks: [spec('test/database/boot.spec.ts', 'is silent about a setting that is on')],
  },
  {
    id: 'm25a',
    kind: 'list',
    what: 'an amount may have a fraction',
    fast: true,
    patches: [
      {
        file: 'libs/money/src/money.ts',
        find: '  return Number.isInteger(value) &&',
        put: "  return typeof value === 'number' &&",
      },
    ],
    checks: [spec('libs/money/src/money.spec.ts', 'refuses 2500.5, without converting it')],
  },
  {
    id: 'm25b',
    kind: 'list',
    what: 'a number that a double cannot keep is rounded',
    fast: true,
    patches: [
      {
        file: 'libs/json/src/exact-number.ts',
        find: '  return decimalForm(literal) === decimalForm(String(value)) ? positiveZero(value) : null;',
        put: '  return literal ? positiveZero(value) : decimalForm(literal).length;',
      },
    ],
    checks: [
      spec(
        'libs/json/src/strict-json.spec.ts',
        '{"amount": 2500.00000000000000000001} loses precision',
      ),
    ],
  },
  {
    id: 'm32',
    kind: 'list',
    what: 'one read does not ask whose payment it is',
    patches: [
      {
        file: 'libs/payments/src/read-payments.ts',
        find: '.findOneBy({ accountId, id });',
        put: '.findOneBy({ id });',
      },
    ],
    checks: [
      spec(
        'test/promises/p08-accounts-apart.spec.ts',
        '"not yours" and "not there" are one answer',
      ),
    ],
  },
  {
    id: 'm33a',
    kind: 'list',
    what: 'webhook secrets are not masked in logs',
    fast: true,
    patches: [
      { file: 'libs/problems/src/redact.ts', find: '|whsec_|_secret_)', put: '|_secret_)' },
    ],
    checks: [spec('libs/problems/src/redact.spec.ts', 'whsec_payonce_demo')],
  },
  {
    id: 'm33b',
    kind: 'list',
    what: 'a refusal repeats what was sent',
    fast: true,
    patches: [
      {
        file: 'libs/idempotency/src/key-spelling.ts',
        find: 'return invalid(`The key has ${key.length} characters;',
        put: 'return invalid(`The key ${key} has ${key.length} characters;',
      },
    ],
    checks: [
      spec('libs/idempotency/src/key-spelling.spec.ts', 'never repeats the key in what it says'),
    ],
  },
  {
    id: 'd23',
    kind: 'design',
    what: 'a refund that was never sent keeps its reservation',
    patches: [
      {
        file: 'libs/payments/src/unresolved.sql.ts',
        find: '        SET amount_reserved = p.amount_reserved - refund.amount\n',
        put: '        SET amount_reserved = p.amount_reserved - refund.amount * 0\n',
      },
    ],
    checks: [
      spec(
        'test/recovery/authorizations.spec.ts',
        'is closed at its key’s end, and its amount is free all the while',
      ),
    ],
  },
];
