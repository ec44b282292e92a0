import type { Request, Response } from './http.js';
import type { Wish } from './plan.js';

/** How a wish is said over HTTP. Null while the payment that it is about has not been heard of. */
export function requestOf(wish: Wish, payments: ReadonlyMap<string, string>): Request | null {
  const { kind, key, of, body } = wish;
  const headers = {
    'Content-Type': 'application/json',
    'Idempotency-Key': key,
    ...wish.headers,
  };
  const post = (path: string, said: object = body): Request => ({
    method: 'POST',
    path,
    headers,
    body: JSON.stringify(said),
  });
  if (kind === 'charge') return post('/v1/payments');
  if (kind === 'cancel by key') {
    const { 'Idempotency-Key': _, ...others } = headers;
    return { ...post('/v1/cancellations', { idempotency_key: of }), headers: others };
  }
  const id = payments.get(of);
  if (id === undefined) return null;
  switch (kind) {
    case 'capture':
      return post(`/v1/payments/${id}/capture`);
    case 'cancel':
      return post(`/v1/payments/${id}/cancel`);
    case 'refund':
      return post(`/v1/payments/${id}/refunds`);
    default:
      return { method: 'GET', path: `/v1/payments/${id}`, headers: {}, body: '' };
  }
}

/** Another wish under a key that is taken: it must be refused, and must change nothing. */
export function withOtherBody(request: Request): Request {
  return { ...request, body: JSON.stringify({ ...JSON.parse(request.body), amount: 31_337 }) };
}

/** Whether a client would stop here. What is unknown, in progress, released or overloaded it asks for again. */
export function isFinal({ status, text }: Response): boolean {
  if (status === 202 || status === 429 || status >= 500) return false;
  return status !== 409 || !AGAIN.test(text);
}

const AGAIN = /"code":"(idempotency_key_in_progress|payment_in_progress|payment_unresolved)"/;

/** The payment that an answer to a charge tells of. */
export function paymentIn({ status, text }: Response): string | null {
  const said = JSON.parse(text) as { id?: string; payment_id?: string | null };
  const id = status < 300 ? said.id : said.payment_id;
  return id ?? null;
}
