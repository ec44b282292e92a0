import type { Db } from '#postgres/db.js';
import { until } from '../until.js';
import { COUNT_UNSETTLED } from './figures.sql.js';

/** Nothing is under way from what was measured before: no payment, no event, nothing that the mock owes. */
export async function untilQuiet(db: Db, mockUrl: string): Promise<void> {
  await until('everything is settled', { withinMs: 300_000 }, async () => {
    const [left] = await db.run(COUNT_UNSETTLED, []);
    return left?.count === 0 && (await mockState(mockUrl)).events_owed === 0;
  });
}

export type MockState = { events_owed: number; running_keys: number };

export async function mockState(mockUrl: string): Promise<MockState> {
  const answer = await fetch(`${mockUrl}/_control/state`);
  return (await answer.json()) as MockState;
}

/** Whether the mock tells of what happens there. */
export async function setWebhooks(mockUrl: string, on: boolean): Promise<void> {
  const answer = await fetch(`${mockUrl}/_control/webhooks`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ drop: !on }),
  });
  if (!answer.ok) throw new Error(`The mock refuses: ${await answer.text()}`);
}
