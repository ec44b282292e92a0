import type { Adapter, Ask } from './adapter.js';

/**
 * Payonce in front of its mock processor, whose payment methods choose what happens. It uses no more than
 * any adapter may. The marker stands in the metadata: an `order_id` would have the order guard refuse
 * a second payment, and hide that a key had failed to.
 */
const adapter: Adapter = {
  name: 'Payonce',
  create: (marker) => payment(marker, 'pm_123'),
  slow: (marker, ms) => payment(marker, `pm_test_slow_${ms}`),
  declined: (marker) => payment(marker, 'pm_card_chargeDeclined'),
  failsOnce: (marker) => payment(marker, 'pm_test_busy'),
  invalid: (marker) => {
    const { path, body } = payment(marker, 'pm_123');
    return { path, body: { ...body, currency: 'nowhere' } };
  },
  otherRoute: (created) => ({
    path: `/v1/payments/${(created.body as Payment).id}/refunds`,
    body: { amount: 100 },
  }),
  numberMember: 'amount',
  textMember: 'description',
  objectMember: 'metadata',
  // ACCOUNT_IN_FLIGHT_MAX as it comes.
  limit: { inFlight: 200 },
  count: countPayments,
  version: async (ask) => {
    const { body } = await ask('/openapi.json');
    return `API ${(body as { info: { version: string } }).info.version}`;
  },
};
export default adapter;

type Payment = { id: string; status: string; metadata: Record<string, string> };
type Page = { data: Payment[]; next: string | null };

function payment(marker: string, method: string) {
  return {
    path: '/v1/payments',
    body: {
      amount: 2500,
      currency: 'myr',
      payment_method: method,
      description: 'a book',
      metadata: { marker },
    },
  };
}

/** A run takes a few minutes at most, and its clock need not be the service's. */
const SINCE = new Date(Date.now() - 10 * 60_000).toISOString();
/** Payments that moved no money, and never will. */
const NO_EFFECT = new Set(['failed', 'canceled']);

async function countPayments(marker: string, ask: Ask): Promise<number> {
  const since = encodeURIComponent(SINCE);
  let after = '';
  let found = 0;
  do {
    const { status, body } = await ask(`/v1/payments?limit=100&created_after=${since}${after}`);
    if (status !== 200) throw new Error(`The list of payments answered ${status}`);
    const { data, next } = body as Page;
    found += data.filter(
      (row) => row.metadata['marker'] === marker && !NO_EFFECT.has(row.status),
    ).length;
    after = next === null ? '' : `&after=${next}`;
  } while (after !== '');
  return found;
}
