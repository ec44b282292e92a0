import type { FastifyInstance } from 'fastify';
import { ControlBody, ControlRefusal } from '../control-body.js';
import { answerRefusal } from '../control-refusal.js';
import { nowMs, type World } from '../world.js';
import { asDay, readQuery } from './asked-day.js';
import { DAMAGES, NOISES, ORDINARY_FORM, type Form, type Noise } from './form.js';
import { reportOf } from './report.js';

/** How the report of a day is written: noise that changes nothing, broken lines, a damaged file. */
export function addFormControl(app: FastifyInstance, world: World): void {
  const shown = async (date: string) => {
    const report = await reportOf(world, date);
    return { date, ...report.form, broken_at: report.brokenNumbers() };
  };
  const change = async (date: string, form: Form) => {
    await world.book.commit({ at: nowMs(world), settlement: { date, form } });
    return shown(date);
  };
  const dayAsked = (query: unknown) => asDay(world, readQuery(query, ['date'])['date']);

  app.get('/_control/settlement/form', (request, reply) =>
    answerRefusal(reply, () => shown(dayAsked(request.query))),
  );
  app.put('/_control/settlement/form', (request, reply) =>
    answerRefusal(reply, () => {
      const body = new ControlBody(request.body);
      body.allow(['date', 'noise', 'broken_lines', 'damage', 'seed']);
      return change(asDay(world, body.string('date')), readForm(body));
    }),
  );
  app.delete('/_control/settlement/form', (request, reply) =>
    answerRefusal(reply, () => change(dayAsked(request.query), ORDINARY_FORM)),
  );
}

const BROKEN_MAX = 1_000;
const SEED_MAX = 2 ** 32 - 1;

/** What is absent is as it ordinarily is, whatever was set before. */
function readForm(body: ControlBody): Form {
  return {
    noise: body.has('noise') ? readNoise(body.texts('noise')) : ORDINARY_FORM.noise,
    broken_lines: body.integer('broken_lines', 0, BROKEN_MAX) ?? ORDINARY_FORM.broken_lines,
    damage: body.choice('damage', DAMAGES) ?? ORDINARY_FORM.damage,
    seed: body.integer('seed', 0, SEED_MAX) ?? ORDINARY_FORM.seed,
  };
}

function readNoise(names: readonly string[]): Noise[] {
  const noise = NOISES.filter((known) => names.includes(known));
  if (noise.length === names.length) return noise;
  throw new ControlRefusal('noise', `noise is a list of some of ${NOISES.join(', ')}, each once.`);
}
