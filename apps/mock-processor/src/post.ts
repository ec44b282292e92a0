import type { Answer, Call } from './answer.js';
import { errorAnswer, objectBody } from './answer.js';
import { IO_ERROR, OUT_OF_SERVICE, rateLimited, SERVER_ERROR, StripeError } from './errors.js';
import { checkExpand, expanded } from './expand.js';
import { AFTER_WORK, BEFORE_WORK, INSTEAD_OF_ANSWER, isOneOf, type Fault } from './faults.js';
import { formFingerprint } from './form.js';
import { isKept, type Idempotency, type Keyed } from './idempotency.js';
import type { Operation, Outcome } from './operation.js';
import { Params } from './params.js';
import { behaviourOf } from './payment-methods.js';
import type { Entry, StoredAnswer } from './state.js';
import { Draft, nowMs, type World } from './world.js';

/** Everything that one POST is known by once it has been read. */
type Posted = {
  call: Call;
  operation: Operation;
  input: unknown;
  expand: string[];
  /** Null without a key, and where keys are not honoured. */
  keyed: Keyed | null;
};

/** One POST: read, keys, faults, work, and the answer that is kept and on the disk before it is sent. */
export async function answerPost(
  world: World,
  keys: Idempotency,
  operation: Operation,
  call: Call,
): Promise<Answer> {
  const posted = read(world, operation, call);
  const { faults } = world;
  const before = faults.take(BEFORE_WORK);
  if (before) return failBeforeWork(world, posted, before, isUnseen(world, posted));
  limit(world, posted);
  const stored = posted.keyed && keys.find(posted.keyed, faults.settings, nowMs(world));
  if (stored) return replay(world, posted, stored);
  const fault =
    faults.take(['slow', ...AFTER_WORK, ...INSTEAD_OF_ANSWER]) ?? faultOfMethod(world, posted);
  if (fault?.kind === 'busy') {
    await rememberMisbehaviour(world, posted);
    throw rateLimited();
  }
  if (fault && isOneOf(fault, BEFORE_WORK)) {
    return failBeforeWork(world, posted, fault, true);
  }
  return keys.run(posted.keyed, () => work(world, posted, fault));
}

function read(world: World, operation: Operation, call: Call): Posted {
  const params = new Params(call.form);
  const expand = params.expand();
  checkExpand(operation.object, expand);
  const input = operation.read(params, call.id);
  const { key, path } = call;
  const honoured = key !== null && world.faults.mode !== 'no_keys';
  const keyed = honoured ? { key, path, fingerprint: formFingerprint(call.form) } : null;
  return { call, operation, input, expand, keyed };
}

/**
 * The limiter counts new work only, except under `limiter_before_keys`: there it stands in front of
 * the keys, so that even a finished request's first re-send gets its 429.
 */
function limit(world: World, posted: Posted): void {
  const { faults } = world;
  const finished = !isUnseen(world, posted);
  const key = posted.keyed?.key;
  if (faults.mode === 'limiter_before_keys') {
    if (faults.take(['busy'])) throw rateLimited();
    if (finished && key !== undefined && !faults.limited.has(key)) {
      faults.limited.add(key);
      throw rateLimited();
    }
  } else if (!finished && faults.take(['busy'])) {
    throw rateLimited();
  }
}

function isUnseen(world: World, { keyed }: Posted): boolean {
  return keyed === null || !world.book.state.answers.has(keyed.key);
}

/** A test method misbehaves on the first send of a key only. */
function faultOfMethod(world: World, { call, operation, input }: Posted): Fault | null {
  const { state } = world.book;
  if (call.key !== null && state.misbehaved.has(call.key)) return null;
  const method = operation.charges?.(state, input) ?? null;
  return method === null ? null : behaviourOf(method).fault;
}

async function rememberMisbehaviour(world: World, { call }: Posted): Promise<void> {
  if (call.key === null || world.book.state.misbehaved.has(call.key)) return;
  await world.book.commit({ at: nowMs(world), misbehaved: call.key });
}

/** No work is done. Whether anything is kept is the mode's business. */
async function failBeforeWork(
  world: World,
  posted: Posted,
  fault: Fault,
  unseen: boolean,
): Promise<Answer> {
  const { mode } = world.faults;
  const down = errorAnswer(503, OUT_OF_SERVICE, { 'retry-after': '1' });
  const answer: Answer =
    fault.kind === 'down'
      ? down
      : { ...down, delivery: fault.kind === 'lose_request' ? 'reset' : 'hang' };
  if (posted.keyed && unseen && mode === 'stored_io_error') {
    await world.book.commit(kept(world, posted, 500, JSON.stringify({ error: IO_ERROR }), null));
  } else if (posted.keyed && unseen && fault.kind === 'down' && isKept(503, false, mode)) {
    await world.book.commit(kept(world, posted, 503, down.body, null));
  } else {
    await rememberMisbehaviour(world, posted);
  }
  return answer;
}

async function work(world: World, posted: Posted, fault: Fault | null): Promise<Answer> {
  if (fault?.kind === 'slow') await slowly(world, fault, posted.call);
  const { call, operation, input, expand } = posted;
  const draft = new Draft(world, { requestId: call.requestId, idempotencyKey: call.key });
  const outcome: Outcome | null =
    fault?.kind === 'error_not_charged' ? null : operation.run(world.book.state, draft, input);
  const failed = outcome === null || fault?.kind === 'error_charged';
  const lost = fault !== null && fault.kind !== 'slow' && !failed;
  const answer = failed ? errorAnswer(500, SERVER_ERROR) : render(outcome, expand, draft);
  const keptBody =
    lost && world.faults.mode === 'stored_io_error' ? errorAnswer(500, IO_ERROR) : answer;
  const entry: Entry = { ...draft.entry() };
  if (posted.keyed && isKept(keptBody.status, true, world.faults.mode)) {
    const objectId = outcome?.objectId ?? null;
    Object.assign(entry, kept(world, posted, keptBody.status, keptBody.body, objectId));
  }
  if (fault && fault.kind !== 'slow' && call.key !== null) entry.misbehaved = call.key;
  await world.book.commit(entry);
  return deliver(answer, fault);
}

/** The work comes after the wait. A mock that stops meanwhile has done none of it. */
export async function slowly(world: World, { ms }: Fault, { stopped }: Call): Promise<void> {
  await world.clock.sleep(ms, stopped);
  if (stopped.aborted) throw new StripeError(503, OUT_OF_SERVICE);
}

function render(outcome: Outcome, expand: string[], draft: Draft): Answer {
  const thing = draft.find(outcome.objectId);
  if (!thing) throw new Error(`${outcome.objectId} was answered but is unknown`);
  if (outcome.status === 200) {
    const body = objectBody(expanded(thing, expand, draft.find));
    return { status: 200, body, headers: {}, delivery: 'whole' };
  }
  return errorAnswer(402, outcome.error, { 'stripe-should-retry': 'false' }, thing);
}

function kept(
  world: World,
  { call, expand, keyed }: Posted,
  status: number,
  body: string,
  objectId: string | null,
): Entry {
  if (!keyed) throw new Error('an answer is kept under a key only');
  const atMs = nowMs(world);
  const { requestId } = call;
  const answer: StoredAnswer = { ...keyed, atMs, requestId, status, body, objectId, expand };
  return { at: atMs, answer };
}

function replay(world: World, posted: Posted, stored: StoredAnswer): Answer {
  const { state } = world.book;
  const thing = stored.objectId === null ? undefined : state.things.get(stored.objectId)?.thing;
  const current =
    world.faults.mode === 'current_state_replay' && thing !== undefined && stored.status !== 402;
  const find = (id: string) => state.things.get(id)?.thing ?? null;
  const answer: Answer = {
    status: current ? 200 : stored.status,
    body: current ? objectBody(expanded(thing, stored.expand, find)) : stored.body,
    headers: {
      'idempotent-replayed': 'true',
      'original-request': stored.requestId,
      ...(stored.status >= 400 && !current && { 'stripe-should-retry': 'false' }),
    },
    delivery: 'whole',
  };
  return deliver(answer, world.faults.take(AFTER_WORK));
}

/** What becomes of a finished answer on its way. */
export function deliver(answer: Answer, fault: Fault | null): Answer {
  switch (fault?.kind) {
    case 'lose_response':
      return { ...answer, delivery: 'reset' };
    case 'timeout_charged':
      return { ...answer, delivery: 'hang' };
    case 'garbage':
      return { ...answer, delivery: 'garbage' };
    default:
      return answer;
  }
}
