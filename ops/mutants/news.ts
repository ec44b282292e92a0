import { type Mutant, spec } from './mutant.js';

const SIGNATURE = 'libs/processor/src/webhook-signature.ts';
const SIGNATURE_SPEC = 'libs/processor/src/webhook-signature.spec.ts';
const SWEEP_INBOX = 'libs/payments/src/sweep-inbox.ts';
const RECEIVE_SPEC = 'test/webhooks/receive.spec.ts';

/** Errors about news from the processor: what is taken for true, and what becomes of it. */
export const NEWS_MUTANTS: readonly Mutant[] = [
  {
    id: 'm15',
    kind: 'list',
    what: 'a payment may move backward',
    patches: [
      {
        file: 'migrations/0012-disputes-and-breaks.sql',
        find: "      (OLD.status = 'authorized' AND NEW.status IN ('succeeded', 'canceled')) OR\n",
        put: `      (OLD.status = 'authorized' AND NEW.status IN ('succeeded', 'canceled')) OR
      (OLD.status = 'succeeded' AND NEW.status = 'failed') OR\n`,
      },
    ],
    checks: [
      spec(
        'test/promises/p05-only-forward.spec.ts',
        "'succeeded' to 'failed': the table and the trigger agree",
      ),
    ],
  },
  {
    id: 'm16a',
    kind: 'list',
    what: 'events are told apart by type and object, not by their id',
    patches: [
      {
        file: 'libs/events/src/receive-event.ts',
        find: '    event.id,\n    event.type,',
        put: '    `${event.type} ${event.objectId}`,\n    event.type,',
      },
    ],
    checks: [spec(RECEIVE_SPEC, 'is stored once, answered 200, and needs no API key')],
  },
  {
    id: 'm16b',
    kind: 'list',
    what: 'an event is marked as applied before it is',
    patches: [
      {
        file: SWEEP_INBOX,
        find: '    const verdict = await applyEvent(deps, event, requestId);',
        put: `    await settle(deps, event, 'applied', 'early', null, 0);
    const verdict = await applyEvent(deps, event, requestId);`,
      },
    ],
    checks: [
      spec(
        'test/crash/news-and-recovery.spec.ts',
        'at w4, while it applies an event, leaves it to the next worker',
      ),
    ],
  },
  {
    id: 'm17',
    kind: 'list',
    what: 'an event is answered 200 before it is stored',
    patches: [
      {
        file: 'apps/payments-api/src/webhooks.controller.ts',
        find: "    const receipt = await receiveEvent(deps, deps.processor.name, readEvent(request));\n    if (receipt.kind === 'reused') throw new ProblemError({ code: 'event_id_reused' });",
        put: '    void receiveEvent(deps, deps.processor.name, readEvent(request)).catch(() => {});',
      },
    ],
    checks: [
      spec(
        RECEIVE_SPEC,
        'is not answered 200 when the confirmation is lost, and the repeat is one more delivery',
      ),
    ],
  },
  {
    id: 'm23',
    kind: 'list',
    what: 'an event that cannot be applied is tried for ever',
    patches: [
      { file: SWEEP_INBOX, find: 'const TRIES_MAX = 3;', put: 'const TRIES_MAX = 3_000_000;' },
    ],
    checks: [
      spec(
        'test/webhooks/poison.spec.ts',
        'is set aside after three tries, said once, and blocks nothing newer',
      ),
    ],
  },
  {
    id: 'm31a',
    kind: 'list',
    what: 'the signature is checked over the body printed anew',
    fast: true,
    patches: [
      {
        file: SIGNATURE,
        find: '.update(bytes).digest();',
        put: '.update(JSON.stringify(JSON.parse(String(bytes) || "0"))).digest();',
      },
    ],
    checks: [spec(SIGNATURE_SPEC, "by Stripe's own client is taken")],
  },
  {
    id: 'm31b',
    kind: 'list',
    what: 'signatures are compared until they first differ',
    fast: true,
    patches: [
      {
        file: SIGNATURE,
        find: 'timingSafeEqual(own, signature)',
        put: 'own.equals(signature)',
      },
    ],
    checks: [spec(SIGNATURE_SPEC, 'is compared by a function that takes equally long for all')],
  },
  {
    id: 'm31c',
    kind: 'list',
    what: 'the time of a signature is not looked at',
    fast: true,
    patches: [
      {
        file: SIGNATURE,
        find: '  if (Math.abs(nowSeconds - Number(signed.seconds)) > TOLERANCE_SECONDS) return false;\n',
        put: '',
      },
    ],
    checks: [spec(SIGNATURE_SPEC, 'a second too old is refused')],
  },
  {
    id: 'm31d',
    kind: 'list',
    what: 'a time that is no number is never too old',
    fast: true,
    patches: [
      { file: SIGNATURE, find: 'const SECONDS = /^[0-9]{1,12}$/;', put: 'const SECONDS = /^/;' },
    ],
    checks: [spec(SIGNATURE_SPEC, 'of a time that is no number is refused')],
  },
  {
    id: 'm31e',
    kind: 'list',
    what: 'a signature of the future is taken',
    fast: true,
    patches: [
      {
        file: SIGNATURE,
        find: 'Math.abs(nowSeconds - Number(signed.seconds))',
        put: 'nowSeconds - Number(signed.seconds)',
      },
    ],
    checks: [spec(SIGNATURE_SPEC, 'a second too far ahead is refused')],
  },
  {
    id: 'm31f',
    kind: 'list',
    what: 'of two signatures only the first is tried',
    fast: true,
    patches: [
      {
        file: SIGNATURE,
        find: 'of signed.signatures) found',
        put: 'of signed.signatures.slice(0, 1)) found',
      },
    ],
    checks: [spec(SIGNATURE_SPEC, 'after one that is not ours is taken')],
  },
  {
    id: 'd20',
    kind: 'design',
    what: 'an event id with another content is one more delivery',
    patches: [
      {
        file: 'libs/events/src/inbox.sql.ts',
        find: '    WHERE known.body_hash = EXCLUDED.body_hash\n',
        put: '',
      },
    ],
    checks: [
      spec(
        RECEIVE_SPEC,
        'with another body under its id is refused and said aloud; the first is kept',
      ),
    ],
  },
  {
    id: 'd21',
    kind: 'design',
    what: 'news that contradicts a final payment is believed without reading it back',
    patches: [
      {
        file: 'libs/payments/src/apply-charge-event.ts',
        find: '  const found = await lookUpCharge(deps, accountId, target, news.processorId);\n',
        put: "  const found = { ...(await lookUpCharge(deps, accountId, target, news.processorId)) };\n  if (news.says === 'failed') found.kind = 'declined';\n",
      },
    ],
    checks: [
      spec(
        'test/webhooks/apply.spec.ts',
        'is read back, and changes nothing where the processor does not bear it out',
      ),
    ],
  },
  {
    id: 'd22',
    kind: 'design',
    what: 'money that comes late is ignored',
    patches: [
      {
        file: 'libs/payments/src/apply-charge-event.ts',
        find: '      return keepInSuspense(deps, found, about, requestId);',
        put: "      return { kind: 'applied', reason: 'late', about };",
      },
    ],
    checks: [
      spec(
        'test/webhooks/late-success.spec.ts',
        'stands in suspense, with a break and an event; under two ids and doubled, once',
      ),
    ],
  },
];
