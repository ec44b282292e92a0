import type { Db } from '#postgres/db.js';
import { failpoint } from '#seams/failpoints.js';
import { RECEIVE_EVENT } from './inbox.sql.js';

/** An event whose signature has been checked. */
export type IncomingEvent = {
  id: string;
  type: string;
  objectId: string | null;
  payload: string;
  bodyHash: Buffer;
};

export type ReceiveDeps = {
  db: Db;
  log: { critical(event: string, facts: Record<string, unknown>): void };
};

export type Receipt =
  | { kind: 'stored'; deliveries: number } // it is in the inbox, and this was its n-th delivery
  | { kind: 'reused' }; // its id is known with another body: the first is kept

/**
 * Stores one delivery of an event. It has been committed when this returns, so only then may the sender
 * be told that it need not send again. Throws where the database did not say so.
 */
export async function receiveEvent(
  { db, log }: ReceiveDeps,
  processorName: string,
  event: IncomingEvent,
): Promise<Receipt> {
  await failpoint('w1');
  const [row] = await db.run(RECEIVE_EVENT, [
    processorName,
    event.id,
    event.type,
    event.objectId,
    event.payload,
    event.bodyHash,
  ]);
  await failpoint('w2');
  if (row) return { kind: 'stored', deliveries: row.deliveries };
  log.critical('event_id_reused', { event_id: event.id, type: event.type });
  return { kind: 'reused' };
}
