import { createHmac } from 'node:crypto';
import { request as plainRequest, type Agent } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { Clock } from '#seams/clock.js';
import type { WebhookTarget } from './webhook-settings.js';

export const WEBHOOK_TIMEOUT_MS = 10_000;

export type Posting = {
  target: WebhookTarget;
  body: string;
  clock: Clock;
  agent: Agent;
  stopped: AbortSignal;
};

/**
 * Delivers one event; resolves with the status of a whole answer, else null. Redirects are answers
 * like any other, since a processor that followed them could be led anywhere.
 */
export function postWebhook({
  target,
  body,
  clock,
  agent,
  stopped,
}: Posting): Promise<number | null> {
  const bytes = Buffer.from(body);
  const url = new URL(target.url);
  const send = url.protocol === 'https:' ? secureRequest : plainRequest;
  const ended = new AbortController();
  return new Promise((resolve) => {
    let status: number | null = null;
    const outgoing = send(url, {
      method: 'POST',
      agent,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'content-length': bytes.length,
        'stripe-signature': signature(bytes, target.secret, Math.floor(clock.wallMs() / 1000)),
        'user-agent': 'Stripe/1.0 (mock-processor)',
      },
    });
    const cut = () => outgoing.destroy();
    outgoing.once('response', (response) => {
      response.resume().once('error', () => {});
      response.once('end', () => (status = response.statusCode ?? null));
    });
    outgoing.once('error', () => {});
    outgoing.once('close', () => {
      stopped.removeEventListener('abort', cut);
      ended.abort();
      resolve(status);
    });
    stopped.addEventListener('abort', cut, { once: true });
    void clock.sleep(WEBHOOK_TIMEOUT_MS, ended.signal).then(cut);
    outgoing.end(bytes);
  });
}

/** Stripe's dialect: the seconds and the body, joined by a dot, under the endpoint's secret. */
export function signature(body: Buffer, secret: string, atSeconds: number): string {
  const mac = createHmac('sha256', secret).update(`${atSeconds}.`).update(body).digest('hex');
  return `t=${atSeconds},v1=${mac}`;
}
