import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from '#postgres/db.js';
import * as sql from './figures.sql.js';
import { type LoopResult, type Shot, closedLoop, refuseOthers } from './loops.js';
import { progress } from './progress.js';
import type { Scale } from './scale.js';
import type { Stage } from './stage.js';
import { paymentShot } from './traffic.js';

export type PaymentFigures = {
  fast: LoopResult;
  slow: LoopResult;
  replays: LoopResult;
};

/** Payments and replays a second, with everything running. */
export async function measurePayments(stage: Stage, scale: Scale): Promise<PaymentFigures> {
  const paid = paymentShot(stage.apiKey, 'pm_123', randomUUID());
  await loop(stage, { ...scale, seconds: 1 }, 'warm-up', () => paid); // one payment, and replays of it from here on
  const pay = (method: string) => () => paymentShot(stage.apiKey, method);
  return {
    fast: await loop(stage, scale, 'payments, processor at 0 ms', pay('pm_123')),
    slow: await loop(stage, scale, 'payments, processor at 50 ms', pay('pm_test_slow_50')),
    replays: await loop(stage, scale, 'replays', () => paid),
  };
}

async function loop(
  { apiUrl }: Stage,
  { connections, seconds, warmupMs }: Scale,
  name: string,
  next: () => Shot,
): Promise<LoopResult> {
  progress(name);
  const measureMs = seconds * 1000;
  const result = await closedLoop({ url: apiUrl, connections, warmupMs, measureMs, next });
  return refuseOthers(name, result, 201);
}

export type Costs = {
  counted: number;
  payment: { roundTrips: number; commits: number };
  replay: { roundTrips: number; commits: number };
};

/** Round trips and commits of one request. The caller has stopped the worker: what is left is the API's. */
export async function countCosts(stage: Stage, db: Db, { counted }: Scale): Promise<Costs> {
  progress('round trips and commits');
  await db.run(sql.ENABLE_STATEMENT_COUNTS, []);
  const paid = paymentShot(stage.apiKey, 'pm_123', randomUUID());
  await sendInTurn(stage, 1, () => paid);
  const payment = await costs(stage, db, counted, () => paymentShot(stage.apiKey, 'pm_123'));
  return { counted, payment, replay: await costs(stage, db, counted, () => paid) };
}

async function costs(stage: Stage, db: Db, counted: number, next: () => Shot) {
  await settled();
  await db.run(sql.FORGET_STATEMENT_COUNTS, []);
  await sendInTurn(stage, counted, next);
  await settled();
  const statements = await db.run(sql.COUNT_STATEMENTS, []);
  const ofRequests = statements.filter(({ query }) => !BY_THE_CLOCK.test(query));
  const writing = ofRequests.filter(
    ({ query }) => /INSERT|UPDATE|DELETE/.test(query) && !query.startsWith('SELECT'),
  );
  const perRequest = (rows: { calls: number }[]) =>
    rows.reduce((sum, { calls }) => sum + calls, 0) / counted;
  return { roundTrips: perRequest(ofRequests), commits: perRequest(writing) };
}

async function sendInTurn({ apiUrl }: Stage, count: number, next: () => Shot): Promise<void> {
  for (let sent = 0; sent < count; sent++) {
    const { path, headers, body } = next();
    const answer = await fetch(apiUrl + path, { method: 'POST', headers, body });
    await answer.arrayBuffer();
    if (answer.status !== 201) throw new Error(`counting: the answer was ${answer.status}`);
  }
}

/** What the API runs every second, however many payments there are: a look at its keys, and at the database. */
const BY_THE_CLOCK = /^(SELECT k\.id, k\.account_id|SELECT \$1 AS ok)/;

/** Statistics of a session reach the shared counts when it has been idle for a moment. */
async function settled(): Promise<void> {
  await pause(1_200);
}

export type Sizes = {
  payments: number;
  tables: { name: string; heapBytes: number; indexBytes: number }[];
};

/** What a payment weighs, its events included. */
export async function readSizes(db: Db): Promise<Sizes> {
  const [all] = await db.run(sql.COUNT_PAYMENTS, []);
  const tables = await db.run(sql.READ_SIZES, []);
  return {
    payments: all?.count ?? 0,
    tables: tables.map(({ name, heap, indexes }) => ({
      name,
      heapBytes: Number(heap),
      indexBytes: Number(indexes),
    })),
  };
}
