import type { Cell, Shown } from './cell.js';

const REQUEST = 'test/crash/request-path.spec.ts';
const NEWS = 'test/crash/news-and-recovery.spec.ts';
const COMMIT = 'test/crash/commit.spec.ts';
const SERVER = 'test/faults/server.spec.ts';
const SESSIONS = 'test/faults/sessions.spec.ts';
const CONNECTIONS = 'libs/processor/src/stripe-connections.spec.ts';
const ANSWERS = 'libs/processor/src/stripe-answers.spec.ts';
const METHODS = 'test/contract/test-methods.spec.ts';
const OUTCOMES = 'test/contract/outcomes.spec.ts';
const KILLED: Shown = [REQUEST, 'killed at $name, hit $hit'];

/** Processes that die, connections that are cut, a database that crashes, a processor that misbehaves. */
export const PROCESS_CELLS: readonly Cell[] = [
  {
    cell: 1,
    fault: '`kill -9` before the claim, or while it is on its way (`c1`, `c2`)',
    expected: 'nothing happened; the retry succeeds',
    shownBy: [KILLED],
  },
  {
    cell: 2,
    fault: '`kill -9` between key and payment',
    expected: 'impossible: one statement writes both, so they are there together or not at all',
    shownBy: [KILLED, ['test/crash/commit.spec.ts', 'around the claim']],
  },
  {
    cell: 3,
    fault: '`kill -9` after the claim, before the call (`c3`)',
    expected: 'recovery sends under the same processor key',
    shownBy: [KILLED],
  },
  {
    cell: 4,
    fault: '`kill -9` once the call is written (`c5`)',
    expected: 'unknown: the same key again, one charge',
    shownBy: [KILLED, [NEWS, 'at %s, while it recovers']],
  },
  {
    cell: 5,
    fault: '`kill -9` with the answer in, not read (`c6`): charged, not recorded',
    expected: 'recovery finds the charge and records it; the retry gets that payment',
    shownBy: [KILLED, [NEWS, 'at %s, while it recovers']],
  },
  {
    cell: 6,
    fault: '`kill -9` before the record step, a failure at each table inside it (`c7`)',
    expected: 'all of it or none; as cell 5',
    shownBy: [
      KILLED,
      ['test/crash/record-step.spec.ts', 'at $table leaves nothing of it'],
      [NEWS, 'at %s, while it recovers'],
    ],
  },
  {
    cell: 7,
    fault: '`kill -9` with the record step on its way (`c12`)',
    expected: 'either outcome; the next one looks by key, and nothing is booked twice',
    shownBy: [KILLED],
  },
  {
    cell: 8,
    fault: '`kill -9` after the commit, with none or half of the answer written (`c13`, `c14`)',
    expected: 'the retry gets the saved answer byte for byte',
    shownBy: [KILLED],
  },
  {
    cell: 9,
    fault: 'connection cut before COMMIT reaches the server',
    expected: 'rolled back; unknown to us: looked up on another connection',
    shownBy: [
      [COMMIT, 'around the claim'],
      [COMMIT, 'around the record step'],
      [COMMIT, 'around a takeover'],
    ],
  },
  {
    cell: 10,
    fault: 'connection cut after COMMIT ran, before its answer',
    expected: 'committed; the same code gives the right answer',
    shownBy: [
      [COMMIT, 'around the claim'],
      [COMMIT, 'around the record step'],
      [COMMIT, 'around leaving an outcome unknown'],
    ],
  },
  {
    cell: 11,
    fault: 'the client gives up on a slow COMMIT',
    expected: 'unknown; the connection is destroyed, and nobody innocent meets it',
    shownBy: [[COMMIT, 'by the client, since the answer to a commit never came']],
  },
  {
    cell: 12,
    fault: 'one backend of the server killed',
    expected: 'all sessions end; the process lives on and pays again',
    shownBy: [[SERVER, 'loses one backend to a kill -9']],
  },
  {
    cell: 13,
    fault: 'server stopped at once, started again',
    expected: 'every answered payment is there',
    shownBy: [[SERVER, 'is ended at once (%s)']],
  },
  {
    cell: 14,
    fault: '`kill -9` of the postmaster',
    expected: 'every answered payment is there',
    shownBy: [
      [SERVER, 'is ended at once (%s)'],
      ['test/start/stop.spec.ts', 'starts PostgreSQL again when it died'],
    ],
  },
  {
    cell: 15,
    fault: 'server frozen, not dead',
    expected: '503 in bounded time, not ready; nothing accepted is lost',
    shownBy: [[SERVER, 'is frozen answers 503']],
  },
  {
    cell: 16,
    fault: 'a client killed while its statement holds a lock',
    expected: 'the lock is free when the server next looks at its client',
    shownBy: [[SESSIONS, 'are free soon after a kill -9 of their holder']],
  },
  {
    cell: 17,
    fault: 'a process that stands still inside a transaction (`w4`)',
    expected: 'others wait no longer than its session may be idle',
    shownBy: [[SESSIONS, 'in a transaction of a process that stands still']],
  },
  {
    cell: 18,
    fault: 'zombie: stopped past its lease, woken after another has finished',
    expected: 'it changes nothing and answers the saved bytes',
    shownBy: [
      [REQUEST, 'stopped at %s past its lease and woken'],
      ['test/recovery/zombies.spec.ts', 'stopped at %s and woken later'],
      ['test/recovery/zombies.spec.ts', 'stopped at %s and woken while another works on it'],
    ],
  },
  {
    cell: 19,
    fault: 'SIGTERM with requests in flight, also twice',
    expected: 'what has begun is answered, exit 0',
    shownBy: [
      [REQUEST, 'told to end at %s answers what it has begun'],
      ['test/start/stop.spec.ts', 'an impatient second one leaves nothing behind'],
    ],
  },
  {
    cell: 20,
    fault: 'processor times out, and had charged',
    expected: '202, later final; never failed',
    shownBy: [[METHODS, 'what each test method ends as']],
  },
  {
    cell: 21,
    fault: 'processor times out, and had not charged',
    expected: 'the same to the outside; the re-send charges',
    shownBy: [[METHODS, 'what each test method ends as']],
  },
  {
    cell: 22,
    fault: '5xx before and after booking, also kept under the key',
    expected: 'a look-up decides; not charged only with proof; one key for life',
    shownBy: [
      [METHODS, 'what each test method ends as'],
      [
        'test/promises/p02-a-charge-is-always-found.spec.ts',
        'until a replayed error and a look-up past the visibility window',
      ],
    ],
  },
  {
    cell: 23,
    fault: '429 with Retry-After; 409 while running there',
    expected: 'the key stays; unknown dominates',
    shownBy: [
      [OUTCOMES, 'case 97: the answer lost, then 429'],
      [
        'test/promises/p02-a-charge-is-always-found.spec.ts',
        'while the first send is still running there',
      ],
    ],
  },
  {
    cell: 24,
    fault: 'reset of a connection that is used again',
    expected: 'unknown, and sent once',
    shownBy: [[CONNECTIONS, 'reset when it is used again: unknown, and sent once']],
  },
  {
    cell: 25,
    fault: 'answers that are none: empty, HTML, cut, endless, of another currency or amount',
    expected: 'unknown, never a success or a failure; bounded in size and time',
    shownBy: [
      [CONNECTIONS, 'the deadline covers everything'],
      [ANSWERS, 'an answer that is no answer is unknown'],
      [OUTCOMES, 'case 99: a mismatch of another amount is an alarm'],
    ],
  },
];
