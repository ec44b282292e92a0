import { check } from 'k6';
import exec from 'k6/execution';
import http from 'k6/http';

/**
 * Payments at a steady rate, every fifth of them followed by its repeat. Each intent has a key and an
 * order_id of its own: a second key for one order is refused, so a shared order_id would measure that.
 *
 *   npm run load -- load-tests/payments.ts --rate 50 --duration 30s
 *   k6 run -e RATE=50 -e DURATION=30s load-tests/payments.ts
 */
const BASE_URL = __ENV.BASE_URL ?? 'http://127.0.0.1:3000';
const API_KEY = __ENV.API_KEY ?? '';
const RATE = Number(__ENV.RATE ?? 50);
const DURATION = __ENV.DURATION ?? '30s';
const WARM_UP = __ENV.WARM_UP ?? '5s';
const REPLAY_EVERY = Number(__ENV.REPLAY_EVERY ?? 5);
/** The 99th percentile of a payment's answer; a replay gets half of it. Generous: this is no capacity test. */
const P99_MS = Number(__ENV.P99_MS ?? 1000);

/** At 50 ms an answer, twenty virtual users carry 400 a second; the rest is room for slow moments. */
const VIRTUAL_USERS = Number(__ENV.VUS ?? Math.max(20, RATE));

const pace = {
  executor: 'constant-arrival-rate' as const,
  rate: RATE,
  preAllocatedVUs: VIRTUAL_USERS,
  maxVUs: VIRTUAL_USERS,
};

export const options = {
  scenarios: {
    // Connections, prepared statements and compiled code: their first second belongs to no figure.
    warm_up: { ...pace, duration: WARM_UP, gracefulStop: '5s' },
    steady: { ...pace, duration: DURATION, startTime: WARM_UP },
  },
  thresholds: {
    'checks{scenario:steady}': ['rate==1'],
    'http_req_failed{scenario:steady}': ['rate==0'],
    'http_req_duration{scenario:steady,name:pay}': [`p(99)<${P99_MS}`],
    'http_req_duration{scenario:steady,name:replay}': [`p(99)<${P99_MS / 2}`],
    'dropped_iterations{scenario:steady}': ['count==0'],
  },
};

/** One word for this run, so that a second run has new intents. */
export function setup(): { run: string } {
  if (API_KEY === '')
    throw new Error(
      'Set API_KEY and BASE_URL, or run npm start beside this: npm run load finds its key',
    );
  return { run: Date.now().toString(36) };
}

export default async function pay({ run }: { run: string }): Promise<void> {
  const intent = `${run}-${exec.vu.idInTest}-${exec.vu.iterationInInstance}`;
  const first = await send(intent, 'pay');
  check(first, {
    'charged: 201': ({ status }) => status === 201,
    'charged: succeeded': (answer) =>
      answer.status === 201 && answer.json('status') === 'succeeded',
  });
  if (exec.vu.iterationInInstance % REPLAY_EVERY !== 0 || first.status !== 201) return;
  const again = await send(intent, 'replay');
  check(again, {
    'replayed: 201': ({ status }) => status === 201,
    'replayed: says so': ({ headers }) => headers['Idempotent-Replayed'] === 'true',
    'replayed: the same bytes': ({ body }) => body === first.body,
  });
}

function send(intent: string, name: 'pay' | 'replay') {
  const body = {
    amount: 2500,
    currency: 'myr',
    payment_method: 'pm_123',
    order_id: `order-${intent}`,
  };
  return http.asyncRequest('POST', `${BASE_URL}/v1/payments`, JSON.stringify(body), {
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${API_KEY}`,
      'Idempotency-Key': intent,
    },
    tags: { name },
  });
}
