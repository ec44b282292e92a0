import type { Dice } from './dice.js';
import type { WireAnswer } from './lane.js';

/** A line of the processor's book, as far as it is asked here. */
export type Booked = { operation: string; id: string; parent: string | null; amount: number };

/** One request of a burst. No key: a read, or a route that takes none. */
export type Racer = {
  path: string;
  key: string | null;
  body: object | null;
  headers?: [string, string][];
};

/** What a burst is made with. `ask` sends one request alone and waits for its answer. */
export type BurstWorld = {
  wide: number;
  dice: Dice;
  /** A sum of money that no other burst of the run uses, nor does its neighbour: the book tells bursts apart by it. */
  amount: number;
  ask: (racer: Racer, method?: string) => Promise<WireAnswer>;
};

export type Raced = { racer: Racer; answer: WireAnswer };

/** What a burst says for itself: at once, and once the book can be read. */
export type Verdict = { says: string[]; ofBook: (book: readonly Booked[]) => string[] };

export type Burst = {
  racers: Racer[];
  judge: (raced: readonly Raced[]) => Promise<Verdict>;
};

export function pay({ amount }: BurstWorld, key: string, more: object = {}): Racer {
  const body = { amount, currency: 'myr', payment_method: 'pm_123', ...more };
  return { path: '/v1/payments', key, body };
}

export function step(path: string, { dice }: BurstWorld, body: object): Racer {
  return { path, key: dice.uuid(), body };
}

export function repeat(wide: number, racer: Racer): Racer[] {
  return Array.from({ length: wide }, () => racer);
}

export type Prepared = { id: string; processorId: string };

export async function succeeded(world: BurstWorld, racer: Racer): Promise<Prepared> {
  const answer = await world.ask(racer);
  if (answer.status !== 201) throw new Error(`A payment to race about was refused: ${answer.raw}`);
  return paymentIn(answer);
}

export function paymentIn({ text }: WireAnswer): Prepared {
  const { id, processor } = JSON.parse(text) as { id: string; processor: { id: string } };
  return { id, processorId: processor.id };
}

export async function read({ ask }: BurstWorld, path: string): Promise<Record<string, unknown>> {
  const { text } = await ask({ path, key: null, body: null }, 'GET');
  return JSON.parse(text) as Record<string, unknown>;
}

const LOOKS_MAX = 500;

/** A void may still be under way; reading asks the processor about what nobody knows. */
export async function untilSettled(
  world: BurstWorld,
  path: string,
  whileStatus: string,
): Promise<Record<string, unknown>> {
  let payment = await read(world, path);
  for (let looks = 1; payment['status'] === whileStatus && looks < LOOKS_MAX; looks++) {
    payment = await read(world, path);
  }
  return payment;
}

/** One charge under one key, told to all in the same bytes, or not yet. */
export async function oneCharge(
  world: BurstWorld,
  raced: readonly Raced[],
  racer: Racer,
): Promise<Verdict> {
  return {
    says: [...oneFirst(raced), ...(await replayFaults(world, raced, racer))],
    ofBook: (book) => chargesOf(book, [world.amount, world.amount + 1], 1),
  };
}

export function oneFirst(raced: readonly Raced[]): string[] {
  const firsts = raced.filter(({ answer }) => isFirst(answer)).length;
  const others = raced.filter(
    ({ answer }) => answer.status !== 201 && codeOf(answer) !== 'idempotency_key_in_progress',
  );
  return [
    ...unless(firsts === 1, `${firsts} requests under one key say that they did it`),
    ...told(others, 'under one key are neither done nor told to wait'),
  ];
}

/** Afterwards the same request gets what all got. */
export async function replayFaults(
  { ask }: BurstWorld,
  raced: readonly Raced[],
  racer: Racer,
): Promise<string[]> {
  const replay = await ask(racer);
  const texts = new Set(
    raced.filter(({ answer }) => answer.status === 201).map(({ answer }) => answer.text),
  );
  texts.add(replay.text);
  return unless(texts.size === 1 && replay.status === 201, `${texts.size} answers to one key`);
}

/** Either nothing was charged, and whoever canceled is told so; or one was, and nobody is. */
export async function chargedOrCanceled(
  world: BurstWorld,
  raced: readonly Raced[],
  path: string | null,
): Promise<Verdict> {
  const isCancel = ({ racer }: Raced) => racer.path !== '/v1/payments';
  const canceled = raced.filter((one) => isCancel(one) && one.answer.status === 200).length;
  const charged = raced.filter((one) => !isCancel(one) && one.answer.status === 201).length;
  const others = raced.filter(({ answer }) => ![200, 201, 202, 409].includes(answer.status));
  const status = path === null ? null : (await untilSettled(world, path, 'pending'))['status'];
  const wasCanceled = canceled > 0;
  return {
    says: [
      ...unless(canceled === 0 || charged === 0, 'it was charged, and it was canceled'),
      ...unless(canceled > 0 || charged > 0 || status === 'succeeded', 'nobody won'),
      ...unless(
        status === null || wasCanceled === (status === 'canceled'),
        `it is ${String(status)}`,
      ),
      ...told(others, 'have answers that no such race may have'),
    ],
    ofBook: (book) => chargesOf(book, world.amount, wasCanceled ? 0 : 1),
  };
}

export function chargesOf(
  book: readonly Booked[],
  amounts: number | readonly number[],
  expected: number,
): string[] {
  const known = [amounts].flat();
  const lines = book.filter(
    ({ operation, amount }) => operation === 'charge' && known.includes(amount),
  );
  return unless(
    lines.length === expected,
    `the processor charged ${lines.length} times, not ${expected}`,
  );
}

export function isFirst({ status, headers }: WireAnswer): boolean {
  return status === 201 && !headers.has('idempotent-replayed');
}

export function codeOf({ status, text }: WireAnswer): string {
  return status < 400 ? '' : String((JSON.parse(text) as { code?: unknown }).code);
}

export function unless(holds: boolean, says: string): string[] {
  return holds ? [] : [says];
}

export function told(raced: readonly Raced[], what: string): string[] {
  const statuses = raced.map(({ answer }) => `${answer.status} ${codeOf(answer)}`.trim());
  return unless(
    raced.length === 0,
    `${raced.length} ${what} (${[...new Set(statuses)].join(', ')})`,
  );
}
