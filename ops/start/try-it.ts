import type { Random } from '#seams/random.js';

/**
 * The command that takes a payment. Each call makes a new intent: pasted twice, one command replays;
 * printed twice, it pays twice.
 */
export function paymentCommand(apiUrl: string, apiKey: string, random: Random): string {
  const intent = random.uuid();
  const body = JSON.stringify({
    amount: 2500,
    currency: 'myr',
    payment_method: 'pm_123',
    order_id: `order-${intent.slice(0, 8)}`,
  });
  return [
    `curl -i ${apiUrl}/v1/payments`,
    `-H 'Authorization: Bearer ${apiKey}'`,
    `-H 'Idempotency-Key: ${intent}'`,
    `-H 'Content-Type: application/json'`,
    `-d '${body}'`,
  ].join(' \\\n    ');
}
