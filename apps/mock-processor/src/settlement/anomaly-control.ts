import type { FastifyInstance } from 'fastify';
import { ControlBody, ControlRefusal } from '../control-body.js';
import { answerRefusal } from '../control-refusal.js';
import { nowMs, type World } from '../world.js';
import { asDay, readQuery } from './asked-day.js';
import { payOut } from './payouts.js';
import { choose, nameOfOrder, type Ordered } from './plant.js';
import {
  ANOMALY_KINDS,
  shownPlanted,
  VARIANTS,
  type AnomalyKind,
  type Planted,
} from './planted.js';

/** What the reports say wrongly: planted, listed for whoever keeps the score, and taken back. */
export function addAnomalyControl(app: FastifyInstance, world: World): void {
  const { book } = world;

  app.post('/_control/anomalies', (request, reply) =>
    answerRefusal(reply, async () => {
      const ordered = readOrder(world, new ControlBody(request.body));
      await payOut(world, ordered.date);
      const before = standing(world, ordered);
      const planted = before ?? choose(world, ordered);
      if (!before) await book.commit({ at: nowMs(world), settlement: { planted } });
      else await book.synced();
      return { ...ordered, planted: planted.map(shownPlanted) };
    }),
  );

  app.get('/_control/anomalies', (request, reply) =>
    answerRefusal(reply, async () => {
      const { date } = readQuery(request.query, ['date']);
      const day = asDay(world, date);
      const lines = book.state.settlement.plantedOf(day);
      await book.synced();
      const text = lines
        .map(({ kind, reference, amount }) => `${JSON.stringify({ kind, reference, amount })}\n`)
        .join('');
      return reply.type('application/x-ndjson').send(text);
    }),
  );

  app.delete('/_control/anomalies', (request, reply) =>
    answerRefusal(reply, async () => {
      const { date, kind } = readQuery(request.query, ['date', 'kind']);
      const day = asDay(world, date);
      const wanted = kind === undefined ? null : asKind(kind);
      const { settlement } = book.state;
      const before = settlement.plantedOf(day).length;
      await book.commit({ at: nowMs(world), settlement: { uprooted: day, kind: wanted } });
      return { date: day, taken_back: before - settlement.plantedOf(day).length };
    }),
  );
}

/** The same order once more plants nothing more, as long as what it planted has not been taken back. */
function standing({ book }: World, ordered: Ordered): Planted[] | null {
  const order = nameOfOrder(ordered);
  const planted = book.state.settlement
    .plantedOf(ordered.date)
    .filter((candidate) => candidate.order === order);
  return planted.length > 0 ? planted : null;
}

const COUNT_MAX = 10_000;
const SEED_MAX = 2 ** 32 - 1;

function readOrder(world: World, body: ControlBody): Ordered {
  body.allow(['date', 'kind', 'variant', 'count', 'seed']);
  const kind = asKind(body.string('kind'));
  const date = asDay(world, body.string('date'));
  const [ordinary, ...others] = VARIANTS[kind];
  const variant = body.choice('variant', [ordinary, ...others]) ?? ordinary;
  const count = body.integer('count', 1, COUNT_MAX) ?? 1;
  return { date, kind, variant, count, seed: body.integer('seed', 0, SEED_MAX) ?? 1 };
}

function asKind(value: string | null): AnomalyKind {
  const kind = ANOMALY_KINDS.find((candidate) => candidate === value);
  if (kind !== undefined) return kind;
  throw new ControlRefusal('kind', `kind is one of ${ANOMALY_KINDS.join(', ')}.`);
}
