import type { Tx } from '#postgres/db.js';
import {
  COUNT_APART,
  LOOK_AGAIN,
  MAKE_APART,
  SET_CHARGES_APART,
  SET_STEPS_APART,
} from './apart.sql.js';

type Session = Pick<Tx, 'run'>;

export type Sides = { importId: string; date: string; processorName: string };

/**
 * Holds the report and the books against each other once, and sets apart what does not agree: both are read whole
 * here, and nowhere else in a run.
 */
export async function setApart(
  session: Session,
  { importId, date, processorName }: Sides,
): Promise<void> {
  for (const table of MAKE_APART) await session.run(table, []);
  await session.run(SET_CHARGES_APART, [importId, date, processorName]);
  await session.run(SET_STEPS_APART, [importId, date, processorName]);
  await session.run(COUNT_APART, []);
}

/** After a repair, of ours what it may have changed. */
export async function lookAgain(session: Session, processorName: string): Promise<void> {
  for (const again of LOOK_AGAIN) await session.run(again, [processorName]);
  await session.run(COUNT_APART, []);
}
