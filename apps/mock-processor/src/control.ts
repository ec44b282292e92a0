import type { FastifyInstance, FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import { isWithin, jsonObject } from './control-body.js';
import { asFault, faultName, MODES, NO_FAULTS, type FaultSettings, type Mode } from './faults.js';
import type { Idempotency } from './idempotency.js';
import type { Listener } from './listener.js';
import { settleDueRefunds } from './refunds.js';
import type { Movement } from './state.js';
import { nowMs, type World } from './world.js';

export const REFUSE_MS_MAX = 60_000;
const ADVANCE_MS_MAX = 10 * 366 * 24 * 3_600_000;
const MS_MAX = 365 * 24 * 3_600_000;

type ControlDeps = { world: World; keys: Idempotency; listener: Listener };

/** The part that is no card processor's: faults, clock, book and state, without authentication. */
export function addControl(app: FastifyInstance, deps: ControlDeps): void {
  const { world, keys, listener } = deps;
  const { book, faults } = world;

  app.get('/_control/health', () => ({
    status: book.failure ? 'broken' : 'ok',
    payment_intents: book.state.order.payment_intent.length,
  }));

  app.get('/_control/book', async (request, reply) => {
    const after = Number((request.query as { after?: string }).after ?? 0);
    if (!Number.isSafeInteger(after) || after < 0) return refuse(reply, 'after is a seq.');
    await settleDueRefunds(world);
    const lines = book.state.movements.slice(after);
    await book.synced();
    return reply.type('application/x-ndjson').send(Readable.from(jsonLines(lines)));
  });

  app.get('/_control/state', async () => {
    await settleDueRefunds(world);
    const shownState = stateOf(world, keys);
    await book.synced();
    return shownState;
  });

  app.get('/_control/faults', () => shown(faults.settings));

  app.put('/_control/faults', (request, reply) => {
    const read = readFaults(request.body);
    if (typeof read === 'string') return refuse(reply, read);
    faults.set(read.settings);
    if (read.refuseForMs === null) return shown(faults.settings);
    // The answer is on its way before the listener closes: the caller must learn that it worked.
    reply.raw.once('finish', () => listener.refuseFor(read.refuseForMs ?? 0));
    reply.header('connection', 'close');
    return { ...shown(faults.settings), fault: 'refuse', for_ms: read.refuseForMs };
  });

  app.delete('/_control/faults', () => {
    faults.set({ ...NO_FAULTS });
    return shown(faults.settings);
  });

  app.post('/_control/clock', async (request, reply) => {
    const body = jsonObject(request.body);
    const advanceMs = body?.['advance_ms'];
    if (!body || Object.keys(body).length !== 1 || !isWithin(advanceMs, 0, ADVANCE_MS_MAX)) {
      return refuse(reply, `{"advance_ms": n}, n from 0 to ${ADVANCE_MS_MAX}, is expected.`);
    }
    await book.commit({ at: nowMs(world), advanceMs });
    await settleDueRefunds(world);
    return { now: new Date(nowMs(world)).toISOString(), advanced_ms: book.state.advancedMs };
  });
}

/** Reads `PUT /_control/faults`; returns what is wrong with it as a sentence. */
function readFaults(
  value: unknown,
): { settings: FaultSettings; refuseForMs: number | null } | string {
  const body = jsonObject(value);
  if (!body) return 'A JSON object is expected.';
  const unknown = Object.keys(body).find((name) => !FAULT_MEMBERS.includes(name));
  if (unknown !== undefined) {
    return `${unknown.slice(0, 80)} is unknown; known are ${FAULT_MEMBERS.join(', ')}.`;
  }
  const name = body['fault'] ?? null;
  const fault = typeof name === 'string' ? asFault(name) : null;
  if (name !== null && name !== 'refuse' && fault === null) {
    return 'fault is null, refuse, or the name of a test method without its pm_test_.';
  }
  const forMs = body['for_ms'] ?? null;
  if ((name === 'refuse') !== (forMs !== null))
    return 'for_ms goes with refuse, and refuse with it.';
  if (forMs !== null && !isWithin(forMs, 1, REFUSE_MS_MAX)) {
    return `for_ms is a whole number from 1 to ${REFUSE_MS_MAX}.`;
  }
  const times = body['times'] ?? null;
  if (times !== null && !isWithin(times, 1, 1_000_000_000)) return 'times is null or at least 1.';
  const mode = MODES.find((candidate) => candidate === (body['mode'] ?? 'normal'));
  if (mode === undefined) return `mode is one of ${MODES.join(', ')}.`;
  const ttlMs = body['ttl_ms'] ?? NO_FAULTS.ttlMs;
  const windowMs = body['window_ms'] ?? NO_FAULTS.windowMs;
  if (!isWithin(ttlMs, 1, MS_MAX)) return 'ttl_ms is a whole number of milliseconds.';
  if (!isWithin(windowMs, 1, MS_MAX)) return 'window_ms is a whole number of milliseconds.';
  return { settings: { fault, times, mode, ttlMs, windowMs }, refuseForMs: forMs };
}

const FAULT_MEMBERS = ['fault', 'times', 'mode', 'for_ms', 'ttl_ms', 'window_ms'];

function shown({ fault, times, mode, ttlMs, windowMs }: FaultSettings): {
  fault: string | null;
  times: number | null;
  mode: Mode;
  [member: string]: unknown;
} {
  return { fault: faultName(fault), times, mode, ttl_ms: ttlMs, window_ms: windowMs };
}

function stateOf(world: World, keys: Idempotency): Record<string, unknown> {
  const { state, syncs } = world.book;
  return {
    now: new Date(nowMs(world)).toISOString(),
    advanced_ms: state.advancedMs,
    payment_intents: state.order.payment_intent.length,
    charges: state.order.charge.length,
    refunds: state.order.refund.length,
    balance_transactions: state.order.balance_transaction.length,
    disputes: state.order.dispute.length,
    events: state.events.length,
    events_owed: state.owed.copies.size,
    movements: state.movements.length,
    stored_answers: state.answers.size,
    running_keys: keys.runningCount,
    syncs,
    faults: shown(world.faults.settings),
  };
}

function* jsonLines(movements: Movement[]): Generator<string> {
  const PER_CHUNK = 500;
  for (let at = 0; at < movements.length; at += PER_CHUNK) {
    const lines = movements.slice(at, at + PER_CHUNK).map((line) => `${JSON.stringify(line)}\n`);
    yield lines.join('');
  }
}

function refuse(reply: FastifyReply, message: string): FastifyReply {
  return reply.code(400).send({ error: { type: 'invalid_request_error', message } });
}
