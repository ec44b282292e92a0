import { type Mutant, spec } from './mutant.js';

const CALL = 'libs/payments/src/call-processor.ts';
const ROWS = 'libs/processor/src/shared-rows.ts';
const TAKE_UP_SQL = 'libs/payments/src/take-up.sql.ts';
const P02 = 'test/promises/p02-a-charge-is-always-found.spec.ts';
const P07 = 'test/promises/p07-nothing-happened-is-not-saved.spec.ts';

/** Errors about the call to the processor, and about what is known after it. */
export const CALL_MUTANTS: readonly Mutant[] = [
  {
    id: 'm3',
    kind: 'list',
    what: 'each attempt has a processor key of its own',
    patches: [
      {
        file: 'libs/payments/src/take-up.ts',
        find: '      key: row.processor_key,',
        put: '      key: globalThis.crypto.randomUUID(),',
      },
    ],
    checks: [spec(P02, 'also when three workers sweep one backlog at once, each item once')],
  },
  {
    id: 'm4a',
    kind: 'list',
    what: 'a timeout is recorded as a failure',
    patches: [
      {
        file: ROWS,
        find: "    unknown('timeout'),\n    unseen('timeout'),",
        put: "    DECLINED_NOT_KEPT,\n    unseen('timeout'),",
      },
    ],
    checks: [spec(P02, 'by the sweep alone, within 90 seconds, after pm_test_timeout_charged')],
  },
  {
    id: 'm4b',
    kind: 'list',
    what: 'a 5xx is recorded as a failure',
    patches: [
      {
        file: ROWS,
        find: "    uncounted('server_error'),\n",
        put: '    DECLINED_NOT_KEPT,\n',
      },
    ],
    checks: [spec(P02, 'by the sweep alone, within 90 seconds, after pm_test_error_charged')],
  },
  {
    id: 'm20',
    kind: 'list',
    what: 'a transaction is open over the call to the processor',
    patches: [
      {
        file: 'libs/payments/src/take-payment.ts',
        find: '  const outcome = await callProcessor(deps, lease);',
        put: '  const outcome = await deps.db.transaction(() => callProcessor(deps, lease));',
      },
    ],
    checks: [
      spec('test/crash/no-open-transaction.spec.ts', 'holds no transaction and no connection'),
    ],
  },
  {
    id: 'd6a',
    kind: 'design',
    what: 'what a re-send was told settles what was unknown before',
    patches: [
      {
        file: CALL,
        find: '  if (!lease.unknownBefore) return outcome;',
        put: '  if (!lease.unknownBefore || outcome) return outcome;',
      },
    ],
    checks: [
      spec(P07, 'unknown is not nothing: a refusal after a lost answer keeps the payment pending'),
    ],
  },
  {
    id: 'd6b',
    kind: 'design',
    what: 'an attempt without an outcome does not count as unknown',
    patches: [
      {
        file: TAKE_UP_SQL,
        find: "AND (a.outcome IS NULL OR a.outcome = 'unknown')",
        put: "AND a.outcome = 'unknown'",
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
    id: 'd7a',
    kind: 'design',
    what: 'a look-up that finds nothing proves that nothing was charged',
    patches: [
      {
        file: CALL,
        find: '      if (lease.storedErrorAtMs === null) {',
        put: '      if (lease.storedErrorAtMs === -1) {',
      },
      {
        file: CALL,
        find: 'lease.storedErrorAtMs + deps.terms.visibilityWindowMs;',
        put: '(lease.storedErrorAtMs ?? 0) + deps.terms.visibilityWindowMs;',
      },
    ],
    checks: [
      spec(
        P02,
        'past half the processor key window, where only look-ups are made and a person is asked',
      ),
    ],
  },
  {
    id: 'd7b',
    kind: 'design',
    what: 'a kept error and an empty look-up are proof before the visibility window has passed',
    patches: [
      {
        file: CALL,
        find: 'lease.storedErrorAtMs + deps.terms.visibilityWindowMs;',
        put: 'lease.storedErrorAtMs;',
      },
    ],
    checks: [
      spec(
        P02,
        'until a replayed error and a look-up past the visibility window prove that nothing was',
      ),
    ],
  },
  {
    id: 'd8a',
    kind: 'design',
    what: 'sends are allowed for the whole of the processor’s key window',
    patches: [
      {
        file: 'libs/payments/src/new-lease.ts',
        find: '  return Math.floor(processorKeyWindowMs / 2);',
        put: '  return processorKeyWindowMs;',
      },
    ],
    checks: [
      spec(
        P02,
        'past half the processor key window, where only look-ups are made and a person is asked',
      ),
    ],
  },
  {
    id: 'd8b',
    kind: 'design',
    what: 'sends have no limit at all',
    patches: [
      {
        file: TAKE_UP_SQL,
        find: 'OR o.send_until <= payonce_now() THEN',
        put: 'OR false THEN',
      },
      {
        file: CALL,
        find: '    databaseNowMs(lease, clock) >= lease.sendUntilMs ||\n',
        put: '',
      },
    ],
    checks: [
      spec(
        P02,
        'past half the processor key window, where only look-ups are made and a person is asked',
      ),
    ],
  },
  {
    id: 'd9',
    kind: 'design',
    what: 'a claim is sent to whichever account at the processor is configured today',
    patches: [
      {
        file: CALL,
        find: '  if (processor.name === lease.processor.name && account === lease.processor.account) return null;',
        put: '  if (processor.name === lease.processor.name) return null;',
      },
    ],
    checks: [
      spec(
        'test/recovery/another-account.spec.ts',
        'recovery sends nothing to another account at the processor, and says which one it needs',
      ),
    ],
  },
  {
    id: 'd10',
    kind: 'design',
    what: 'a process without its registration goes on sending',
    patches: [
      {
        file: CALL,
        find: '  if (!late && isRegistered) return null;',
        put: '  if (!late) return null;',
      },
    ],
    checks: [
      spec('test/recovery/early-takeover.spec.ts', 'sends nothing until it has registered again'),
    ],
  },
];
