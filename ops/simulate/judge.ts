import type { HistoryLine } from './history.js';
import type { Stage } from './stage.js';

export type Violation = { invariant: string; says: string; rows: object[] };
type Booked = { operation: string; id: string; metadata: Record<string, string> };

/** The books of one schedule, compared. */
export async function judge(
  stage: Stage,
  history: readonly HistoryLine[],
  book: readonly Booked[],
): Promise<Violation[]> {
  const violations: Violation[] = [];
  const charges = grouped(
    book.filter(({ operation }) => operation === 'charge'),
    ({ metadata }) => metadata['payonce_intent'] ?? '',
  );
  const payments = await stage.rows<{ processor_id: string; status: string }>('SELECT * FROM payments');
  for (const rows of charges) {
    if (rows.length > 1) violations.push({ invariant: 'I1', says: 'charged twice', rows });
    const payment = payments.find(({ processor_id }) => processor_id === rows[0]?.id);
    if (payment?.status !== 'succeeded') violations.push({ invariant: 'I2', says: 'a charge has no payment', rows });
  }
  const answers = grouped(
    history.filter(({ type, key, status }) => type === 'answer' && key && (status === 201 || status === 402)),
    ({ account, key, path, body }) => `${account} ${key} ${path} ${body}`,
  );
  for (const rows of answers) {
    if (new Set(rows.map(({ status, text }) => `${status} ${text}`)).size > 1) violations.push({ invariant: 'I10', says: 'two final answers', rows });
  }
  return violations;
}

function grouped<Item>(items: readonly Item[], by: (item: Item) => string): Item[][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(by(item), [...(groups.get(by(item)) ?? []), item]);
  return [...groups.values()];
}
