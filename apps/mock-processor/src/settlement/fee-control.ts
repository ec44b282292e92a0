import type { FastifyInstance } from 'fastify';
import { exponentOf } from '#money/currencies.js';
import { ControlBody, ControlRefusal, isWithin } from '../control-body.js';
import { answerRefusal } from '../control-refusal.js';
import { FEE_CATEGORIES, ORDINARY_FEES, type FeeRow } from '../fee.js';
import { nowMs, type World } from '../world.js';

/** The table of fees: seen, replaced, and taken back. What is booked keeps the fee that it had. */
export function addFeeControl(app: FastifyInstance, world: World): void {
  const { book } = world;
  const shown = () => ({ rows: book.state.settlement.fees });
  const change = async (fees: readonly FeeRow[]) => {
    await book.commit({ at: nowMs(world), settlement: { fees } });
    return shown();
  };

  app.get('/_control/fees', shown);
  app.put('/_control/fees', (request, reply) =>
    answerRefusal(reply, () => change(readFees(new ControlBody(request.body)))),
  );
  app.delete('/_control/fees', () => change(ORDINARY_FEES));
}

const BASIS_POINTS_MAX = 10_000;
const FIXED_MAX = 99_999_999;
const ROWS_MAX = 200;

function readFees(body: ControlBody): FeeRow[] {
  body.allow(['rows']);
  const rows = body.objects('rows', ROWS_MAX).map(readRow);
  const cases = rows.map(({ category, currency }) => `${category} ${currency}`);
  if (new Set(cases).size < cases.length) {
    throw new ControlRefusal('rows', 'rows: a category and currency has one row at most.');
  }
  return rows;
}

function readRow(row: Record<string, unknown>): FeeRow {
  const { category, currency = null, basis_points = 0, fixed = 0, ...others } = row;
  const known = FEE_CATEGORIES.find((candidate) => candidate === category);
  const isCurrency =
    currency === null || (typeof currency === 'string' && exponentOf(currency) !== undefined);
  if (
    known === undefined ||
    !isCurrency ||
    !isWithin(basis_points, 0, BASIS_POINTS_MAX) ||
    !isWithin(fixed, 0, FIXED_MAX) ||
    Object.keys(others).length > 0
  ) {
    const categories = FEE_CATEGORIES.join(', ');
    throw new ControlRefusal(
      'rows',
      `rows: each is {"category": one of ${categories}, "currency": a code or null, ` +
        `"basis_points": 0 to ${BASIS_POINTS_MAX}, "fixed": 0 to ${FIXED_MAX}}.`,
    );
  }
  return { category: known, currency, basis_points, fixed };
}
