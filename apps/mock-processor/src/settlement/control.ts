import type { FastifyInstance } from 'fastify';
import { Readable } from 'node:stream';
import { ControlRefusal } from '../control-body.js';
import { answerRefusal } from '../control-refusal.js';
import { settleDueRefunds } from '../refunds.js';
import { nowMs, type World } from '../world.js';
import { dayOf, isDate } from './day.js';
import { addFeeControl } from './fee-control.js';
import { payOut } from './payouts.js';
import { Report } from './report.js';

/** The settlement report of each day, and what it is made of. */
export function addSettlementControl(app: FastifyInstance, world: World): void {
  app.get('/_control/settlement', (request, reply) =>
    answerRefusal(reply, async () => {
      const { date, part } = readQuery(request.query, ['date', 'part']);
      if (part !== undefined && part !== 'summary') {
        throw new ControlRefusal('part', 'part is summary, or absent.');
      }
      const report = await reportOf(world, asDay(world, date));
      if (part === 'summary') return report.summary();
      return reply.type('text/csv; charset=utf-8').send(Readable.from(report.pieces()));
    }),
  );

  addFeeControl(app, world);
}

async function reportOf(world: World, date: string): Promise<Report> {
  await settleDueRefunds(world);
  await payOut(world, date);
  const report = new Report(world, date);
  await world.book.synced();
  return report;
}

function asDay(world: World, date: string | undefined): string {
  if (date === undefined || !isDate(date)) {
    throw new ControlRefusal('date', 'date is a day such as 2026-01-31.');
  }
  if (date <= dayOf(nowMs(world))) return date;
  throw new ControlRefusal('date', `date: ${date} has not begun by the clock of the mock.`);
}

/** Each at most once, and nothing else. */
function readQuery(query: unknown, names: string[]): Record<string, string | undefined> {
  const values = query as Record<string, string | string[]>;
  for (const [name, value] of Object.entries(values)) {
    const shown = name.slice(0, 80);
    if (!names.includes(name)) {
      throw new ControlRefusal(shown, `${shown} is unknown; known are ${names.join(', ')}.`);
    }
    if (Array.isArray(value)) throw new ControlRefusal(name, `${name} is given once.`);
  }
  return values as Record<string, string>;
}
