import type { Cell } from './cell.js';

const REQUEST = 'test/crash/request-path.spec.ts';
const SERVER = 'test/faults/server.spec.ts';
const CLASSES = 'test/reconciliation/classes.spec.ts';
const SESSIONS = 'test/faults/sessions.spec.ts';
const PROCESSES = 'test/faults/processes.spec.ts';
const DISK = 'test/faults/disk-full.spec.ts';
const OUTCOMES = 'test/contract/outcomes.spec.ts';

/** Declines, news, races, limits, and what other parts of the product will bring. */
export const WORLD_CELLS: readonly Cell[] = [
  {
    cell: 26,
    fault: 'processor slower than the lease',
    expected: 'taken over under the same key; one charge',
    shownBy: [[REQUEST, 'stopped at %s past its lease and woken']],
  },
  {
    cell: 27,
    fault: 'a definite decline',
    expected: '402, saved and replayed; nothing in the ledger',
    shownBy: [[OUTCOMES, 'cases 94 and 104: a decline replays byte for byte']],
  },
  {
    cell: 28,
    fault: 'a success that comes after a decline',
    expected: 'money wins: suspense, a break, a person or the policy',
    shownBy: [
      ['test/webhooks/late-success.spec.ts', 'stands in suspense, with a break and an event'],
    ],
  },
  {
    cell: 29,
    fault: 'an event before our own answer, or before the row it tells of',
    expected: 'it waits, and counts no try',
    shownBy: [
      ['test/webhooks/apply.spec.ts', 'before our own answer waits for it'],
      ['test/webhooks/apply.spec.ts', 'before its row is there waits for it'],
    ],
  },
  {
    cell: 30,
    fault: 'events doubled, shuffled, months old, of unknown type, of somebody else',
    expected: 'applied once; forward only; what is not for us is stored and ignored',
    shownBy: [
      ['test/webhooks/receive.spec.ts', '50 times at once is one event of 50 deliveries'],
      ['test/webhooks/apply.spec.ts', 'twice under two ids, ten times each, and in any order'],
      ['test/webhooks/apply.spec.ts', 'may come months late'],
      ['test/webhooks/apply.spec.ts', '%s is stored, counted and ignored'],
    ],
  },
  {
    cell: 31,
    fault: 'the same event id with another body',
    expected: 'refused and said aloud; the first is kept',
    shownBy: [['test/webhooks/receive.spec.ts', 'with another body under its id is refused']],
  },
  {
    cell: 32,
    fault: 'a storm of events while the database is away',
    expected: '200 only for what is stored, else 503, and the sender repeats',
    shownBy: [['test/webhooks/receive.spec.ts', 'is answered 503, and what the sender repeats']],
  },
  {
    cell: 33,
    fault: 'a process whose clock is ten minutes off, either way',
    expected: 'no early takeover and no eternal lease: the database’s clock alone counts',
    shownBy: [['test/faults/clocks.spec.ts', 'takes no lease before its end']],
  },
  {
    cell: 34,
    fault: 'two workers at one lease',
    expected: 'one takes it; the other does nothing',
    shownBy: [
      ['test/contract/concurrency.spec.ts', 'case 86: two workers and a client at one lease'],
      ['test/recovery/sweeps-idempotent.spec.ts', 'the lease sweep'],
    ],
  },
  {
    cell: 35,
    fault: '50 equal requests at once; another body, another account under the key',
    expected: 'one charges; 409 or the same answer for the others; 422; apart',
    shownBy: [
      ['test/contract/concurrency.spec.ts', 'case 77: of 50 equal requests one charges'],
      ['test/contract/concurrency.spec.ts', 'case 78: of two bodies at once one runs'],
      ['test/contract/scope.spec.ts', 'case 58: test mode and live mode'],
    ],
  },
  {
    cell: 36,
    fault: 'refunds at once that ask for more than was captured',
    expected: 'what is accepted fits; the rest hears what is left',
    shownBy: [
      [
        'test/promises/p06-never-more-than-was-captured.spec.ts',
        'each with its own key: what is accepted fits',
      ],
    ],
  },
  {
    cell: 37,
    fault: 'a refund or void that races a capture or a dispute',
    expected: 'one legal order',
    shownBy: [
      ['test/recovery/authorizations.spec.ts', 'races a capture: one wins'],
      ['test/promises/p06-never-more-than-was-captured.spec.ts', 'beside a dispute'],
      ['test/webhooks/dispute-excess.spec.ts', 'at the instant of a refund that gives room'],
    ],
  },
  {
    cell: 38,
    fault: 'every connection of the pool busy',
    expected: '503 with Retry-After in bounded time; alive all the while',
    shownBy: [[SESSIONS, 'on whole tables, as by a migration']],
  },
  {
    cell: 39,
    fault: 'the server has no connection left',
    expected: '503; it goes on when there is one',
    shownBy: [[SERVER, 'has no connection left answers 503']],
  },
  {
    cell: 40,
    fault: 'deadlock, serialization failure',
    expected: 'the claim is run again once; the processor is not called twice',
    shownBy: [[SESSIONS, 'a claim that it undid is run again, once']],
  },
  {
    cell: 41,
    fault: 'disk full: a table cannot grow',
    expected: '503 or 202; with room again all is done once',
    shownBy: [[DISK, 'under the database is 503']],
  },
  {
    cell: 42,
    fault: 'disk full: the write-ahead log cannot grow, the server ends',
    expected: 'every answered payment is there after a start by hand',
    shownBy: [[DISK, 'under the database is 503']],
  },
  {
    cell: 43,
    fault: 'nobody takes the log any more',
    expected: 'payments go on',
    shownBy: [[PROCESSES, 'whose log nobody takes any more']],
  },
  {
    cell: 44,
    fault: 'no file descriptor left; the event loop blocked for 5 s',
    expected: 'new work is refused; the process survives',
    shownBy: [
      [PROCESSES, 'that has no file descriptor left'],
      [PROCESSES, 'whose event loop stands still'],
    ],
  },
  {
    cell: 45,
    fault: 'a merchant’s endpoint down, slow, redirecting, hanging',
    expected: 'the backlog grows, payments do not notice',
    shownBy: [],
    since: 'F',
  },
  {
    cell: 46,
    fault: '`kill -9` of the delivery after it delivered (`o2`)',
    expected: 'delivered again under the same id',
    shownBy: [],
    since: 'F',
  },
  {
    cell: 47,
    fault: 'an outgoing event that can never be delivered',
    expected: 'set aside; the others flow',
    shownBy: [],
    since: 'F',
  },
  {
    cell: 48,
    fault: 'an outgoing event that commits late',
    expected: 'delivered all the same',
    shownBy: [],
    since: 'F',
  },
  {
    cell: 49,
    fault: 'each anomaly of a settlement report',
    expected: 'one break of its class, or none for noise',
    shownBy: [
      [CLASSES, 'exactly one break, of the class that was planted'],
      [CLASSES, 'noise is no break'],
      [CLASSES, 'a file that does not fit its summary is not compared'],
      [CLASSES, 'a corrected file closes what the one before it had opened'],
      ['test/reconciliation/import.spec.ts', 'is one import however often it is read'],
    ],
  },
  {
    cell: 50,
    fault: '`kill -9` inside an import (`s2`, `s3`)',
    expected: 'run again with the same result',
    shownBy: [['test/crash/reconciliation.spec.ts', 'is run again with the same result']],
  },
  {
    cell: 51,
    fault: 'the processor’s own key window has passed before recovery runs',
    expected: 'nothing is sent; look-ups, then a person',
    shownBy: [
      [
        'test/promises/p02-a-charge-is-always-found.spec.ts',
        'past half the processor key window, where only look-ups are made',
      ],
      ['test/recovery/keyless-processor.spec.ts', 'a retry only looks up what may have been sent'],
    ],
  },
  {
    cell: 52,
    fault: 'rows of the first version, left at every recovery point',
    expected: 'the code of today finishes them',
    shownBy: [['test/recovery/old-rows.spec.ts', 'rows of the first version']],
  },
  {
    cell: 53,
    fault: 'a database restored from five minutes ago',
    expected: 'keys derive again and adopt what exists; the drill repairs the rest',
    shownBy: [
      ['test/promises/p01-after-a-restore.spec.ts', 'derives the same key and the same bytes'],
      ['test/drill.spec.ts', 'finds again what was lost, and charges nothing twice'],
    ],
  },
  {
    cell: 54,
    fault: 'a migration holds its lock during traffic',
    expected: '503 in bounded time, nothing half done',
    shownBy: [[SESSIONS, 'on whole tables, as by a migration']],
  },
];
