import type { Adapter } from './adapter.js';

/** The small payments API of the peers and of docs/conformance.md. */
export const example: Adapter = {
  name: 'small payments',
  create: (marker) => payment(marker, 'ok'),
  slow: (marker, ms) => payment(marker, `slow_${ms}`),
  declined: (marker) => payment(marker, 'declined'),
  failsOnce: (marker) => payment(marker, 'fails_once'),
  invalid: (marker) => {
    const { path, body } = payment(marker, 'ok');
    return { path, body: { ...body, amount: -1 } };
  },
  otherRoute: (created) => ({
    path: `/payments/${(created.body as { id: string }).id}/refunds`,
    body: { amount: 100 },
  }),
  numberMember: 'amount',
  textMember: 'note',
  objectMember: 'tags',
  limit: { inFlight: 50 },
  count: async (marker, ask) => {
    const { body } = await ask('/payments');
    const { payments } = body as { payments: { tags: { marker?: string } }[] };
    return payments.filter(({ tags }) => tags.marker === marker).length;
  },
};

function payment(marker: string, card: string) {
  return { path: '/payments', body: { amount: 2500, card, note: 'a book', tags: { marker } } };
}
