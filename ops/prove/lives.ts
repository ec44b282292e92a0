import { setTimeout as pause } from 'node:timers/promises';
import { type Asked, type Heard, type RecordedClient, isFinal } from './client.js';
import { type Intent, drawIntent } from './intents.js';
import type { Choices } from './random.js';
import type { World } from './world.js';

export type Life = {
  world: World;
  client: RecordedClient;
  choices: Choices;
  /** The processor's ids of payments, to which its own events can happen. */
  seen: string[];
};

/** One intent from its first request to whatever becomes of its money, as one client lives through it. */
export async function live(life: Life, key: string): Promise<void> {
  const { world, client, choices } = life;
  const intent = drawIntent(choices, world.accounts, key);
  const charge = chargeOf(intent);
  const shape = choices.fraction();
  // Somebody who does not wait for the end: recovery finishes it, or it is let go unsent.
  if (shape < 0.07) return void (await client.sendUntilFinal(charge, choices.between(1, 2)));
  const others = companions(life, intent, shape);
  const [heard] = await Promise.all([client.sendUntilFinal(charge), ...others]);
  const payment = paymentOf(heard);
  if (payment) await moveItsMoney(life, intent, payment);
  // Long after: the answer is the first one's bytes, wherever the payment has gone since.
  if (choices.happens(0.3)) await client.sendUntilFinal(charge);
  if (choices.happens(0.3)) await read(life, intent, payment?.id);
}

/** What happens beside the first request: the same again, another body, another account's key, a cancel. */
function companions(life: Life, intent: Intent, shape: number): Promise<unknown>[] {
  const { world, client, choices } = life;
  const charge = chargeOf(intent);
  if (shape < 0.22) return [client.sendUntilFinal(charge)];
  if (shape < 0.3) return [client.send({ ...charge, body: otherBody(intent) })];
  if (shape < 0.35) {
    const other = world.accounts.find(({ id }) => id !== intent.account.id);
    return other ? [client.sendUntilFinal({ ...charge, account: other })] : [];
  }
  if (shape < 0.42) {
    const body = JSON.stringify({ idempotency_key: intent.key });
    const cancel: Asked = { account: intent.account, method: 'POST', path: CANCEL_BY_KEY, body };
    const waitMs = choices.between(0, 60);
    return [pause(waitMs).then(() => client.sendUntilFinal(cancel, 20))];
  }
  return [];
}

const CANCEL_BY_KEY = '/v1/cancellations';

type Payment = { id: string; status: string; amount: number; processor: { id: string | null } };

async function moveItsMoney(life: Life, intent: Intent, payment: Payment): Promise<void> {
  const { choices, seen } = life;
  const { id: processorId } = payment.processor;
  if (processorId !== null) seen.push(processorId);
  if (seen.length > SEEN_MAX) seen.shift();
  if (payment.status === 'authorized') {
    const draw = choices.fraction();
    if (draw < 0.55) await step(life, intent, payment, 'capture');
    else if (draw < 0.75) await step(life, intent, payment, 'cancel');
    else if (draw < 0.9)
      await Promise.all([
        step(life, intent, payment, 'capture'),
        step(life, intent, payment, 'cancel'),
      ]);
    if (draw >= 0.55) return;
  }
  if (payment.status === 'canceled' || payment.status === 'failed') return;
  await refunds(life, intent, payment);
}

const SEEN_MAX = 200;

async function refunds(life: Life, intent: Intent, payment: Payment): Promise<void> {
  const { choices } = life;
  const draw = choices.fraction();
  const part = (share: number) => Math.max(1, Math.floor(payment.amount * share));
  const refund = (amount?: number) => step(life, intent, payment, 'refunds', amount);
  if (draw < 0.45) return;
  if (draw < 0.6) return refund();
  if (draw < 0.75) return refund(part(0.4));
  // Two or three at once, of which not all fit.
  const amounts = draw < 0.9 ? [part(0.6), part(0.6)] : [part(0.4), part(0.4), part(0.4)];
  await Promise.all(amounts.map((amount) => refund(amount)));
}

type Step = 'capture' | 'cancel' | 'refunds';

/** A step under a key of its own; now and then twice at once, or given up after its first try. */
async function step(
  { client, choices }: Life,
  intent: Intent,
  payment: Payment,
  kind: Step,
  amount?: number,
): Promise<void> {
  const key = `${intent.key}-${kind}-${choices.between(1, 1_000_000)}`;
  const part = kind === 'capture' && choices.happens(0.4) ? Math.ceil(payment.amount / 3) : amount;
  const asked: Asked = {
    account: intent.account,
    method: 'POST',
    path: `/v1/payments/${payment.id}/${kind}`,
    key,
    body: part === undefined ? '{}' : JSON.stringify({ amount: part }),
  };
  const draw = choices.fraction();
  if (draw < 0.08) return void (await client.send(asked));
  const all = [client.sendUntilFinal(asked)];
  if (draw < 0.2) all.push(client.sendUntilFinal(asked));
  if (draw > 0.95) all.push(client.send({ ...asked, body: '{"amount":7}' }));
  await Promise.all(all);
}

async function read({ client, choices }: Life, { account, key }: Intent, id?: string) {
  const paths = [`/v1/payments?idempotency_key=${key}`];
  if (id !== undefined) paths.push(`/v1/payments/${id}`, `/v1/refunds?payment_id=${id}`);
  await client.send({ account, method: 'GET', path: choices.of(paths) });
}

function chargeOf({ account, key, body, prefer }: Intent): Asked {
  return { account, method: 'POST', path: '/v1/payments', key, body, prefer };
}

function otherBody({ amount, body }: Intent): string {
  return JSON.stringify({ ...(JSON.parse(body) as object), amount: amount + 1 });
}

function paymentOf(heard: Heard): Payment | null {
  if (!isFinal(heard) || heard.status !== 201) return null;
  return JSON.parse(heard.text ?? '') as Payment;
}
