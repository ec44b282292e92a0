import type { FastifyInstance } from 'fastify';
import { Readable } from 'node:stream';
import { ControlRefusal } from '../control-body.js';
import { answerRefusal } from '../control-refusal.js';
import type { World } from '../world.js';
import { addAnomalyControl } from './anomaly-control.js';
import { asDay, readQuery } from './asked-day.js';
import { addFeeControl } from './fee-control.js';
import { addFormControl } from './form-control.js';
import { reportOf } from './report.js';

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

  addAnomalyControl(app, world);
  addFormControl(app, world);
  addFeeControl(app, world);
}
