import {
  type Burst,
  type BurstWorld,
  type Raced,
  type Racer,
  type Verdict,
  chargedOrCanceled,
  chargesOf,
  codeOf,
  isFirst,
  oneCharge,
  oneFirst,
  pay,
  paymentIn,
  read,
  repeat,
  replayFaults,
  step,
  succeeded,
  told,
  unless,
  untilSettled,
} from './burst-parts.js';

export type BurstName = keyof typeof BURSTS;

/** The kinds of race, each with what must be true of it however it goes. */
export const BURSTS = {
  same_key_same_body: async (world: BurstWorld): Promise<Burst> => {
    const racer = pay(world, world.dice.uuid());
    return { racers: repeat(world.wide, racer), judge: (raced) => oneCharge(world, raced, racer) };
  },

  same_key_other_body: async (world: BurstWorld): Promise<Burst> => {
    const key = world.dice.uuid();
    const [one, other] = [pay(world, key), pay(world, key, { amount: world.amount + 1 })];
    const racers = Array.from({ length: world.wide }, (_, at) => (at % 2 === 0 ? one : other));
    const judge = async (raced: readonly Raced[]): Promise<Verdict> => {
      const won = raced.find(({ answer }) => isFirst(answer))?.racer ?? one;
      const losers = raced.filter(({ racer }) => racer !== won);
      const verdict = await oneCharge(
        world,
        raced.filter(({ racer }) => racer === won),
        won,
      );
      const wrong = losers.filter(({ answer }) => codeOf(answer) !== 'idempotency_key_reused');
      return {
        ...verdict,
        says: [...verdict.says, ...told(wrong, 'of the other body are not refused')],
      };
    };
    return { racers, judge };
  },

  many_keys_one_order: async (world: BurstWorld): Promise<Burst> => {
    const order_id = world.dice.uuid();
    const racers = Array.from({ length: world.wide }, () =>
      pay(world, world.dice.uuid(), { order_id }),
    );
    const judge = async (raced: readonly Raced[]): Promise<Verdict> => {
      const charged = raced.filter(({ answer }) => answer.status === 201);
      const isRefused = ({ answer }: Raced) =>
        ['order_already_paid', 'payment_unresolved'].includes(codeOf(answer));
      const others = raced.filter((one) => one.answer.status !== 201 && !isRefused(one));
      const says = [
        ...unless(charged.length === 1, `${charged.length} were charged for one order`),
      ];
      return {
        says: [...says, ...told(others, 'are neither charged nor refused for the order')],
        ofBook: (book) => chargesOf(book, world.amount, 1),
      };
    };
    return { racers, judge };
  },

  refunds_beyond_captured: async (world: BurstWorld): Promise<Burst> => {
    const paid = await succeeded(world, pay(world, world.dice.uuid()));
    const part = Math.floor(world.amount / (1 + world.dice.below(world.wide)));
    const racers = Array.from({ length: world.wide }, () =>
      step(`/v1/payments/${paid.id}/refunds`, world, { amount: part }),
    );
    const fit = Math.min(world.wide, Math.floor(world.amount / part));
    const judge = async (raced: readonly Raced[]): Promise<Verdict> => {
      const made = raced.filter(({ answer }) => answer.status === 201);
      const isFull = ({ answer }: Raced) =>
        ['refund_exceeds_remaining', 'already_refunded'].includes(codeOf(answer));
      const others = raced.filter((one) => one.answer.status !== 201 && !isFull(one));
      const today = await read(world, `/v1/payments/${paid.id}`);
      return {
        says: [
          ...unless(
            made.length === fit,
            `${made.length} refunds of ${part} were made of ${world.amount}`,
          ),
          ...told(others, 'are neither made nor refused for want of room'),
          ...unless(
            today['amount_refunded'] === made.length * part,
            'the payment tells another sum',
          ),
        ],
        ofBook: (book) => {
          const lines = book.filter(
            ({ operation, parent }) => operation === 'refund' && parent === paid.processorId,
          );
          return unless(
            lines.length === fit,
            `the processor made ${lines.length} refunds, not ${fit}`,
          );
        },
      };
    };
    return { racers, judge };
  },

  same_refund: async (world: BurstWorld): Promise<Burst> => {
    const paid = await succeeded(world, pay(world, world.dice.uuid()));
    const racer = step(`/v1/payments/${paid.id}/refunds`, world, { amount: 1 });
    const judge = async (raced: readonly Raced[]): Promise<Verdict> => ({
      says: [...oneFirst(raced), ...(await replayFaults(world, raced, racer))],
      ofBook: (book) => {
        const lines = book.filter(
          ({ operation, parent }) => operation === 'refund' && parent === paid.processorId,
        );
        return unless(
          lines.length === 1,
          `the processor made ${lines.length} refunds under one key`,
        );
      },
    });
    return { racers: repeat(world.wide, racer), judge };
  },

  capture_against_void: async (world: BurstWorld): Promise<Burst> => {
    const held = await succeeded(world, pay(world, world.dice.uuid(), { capture: 'manual' }));
    const racers = Array.from({ length: world.wide }, () =>
      step(`/v1/payments/${held.id}/${world.dice.chance(0.5) ? 'capture' : 'cancel'}`, world, {}),
    );
    const judge = async (raced: readonly Raced[]): Promise<Verdict> => {
      const done = (name: string) =>
        raced.filter(({ racer, answer }) => racer.path.endsWith(name) && answer.status === 200)
          .length;
      const { status } = await untilSettled(world, `/v1/payments/${held.id}`, 'authorized');
      const [captured, canceled] = [done('/capture'), done('/cancel')];
      const others = raced.filter(({ answer }) => ![200, 202, 409].includes(answer.status));
      return {
        says: [
          ...unless(captured === 0 || canceled === 0, 'it was captured, and it was canceled'),
          ...unless(captured <= 1, `it was captured ${captured} times`),
          ...unless(
            captured === 0 || status === 'succeeded',
            `it was captured, and is ${String(status)}`,
          ),
          ...unless(
            canceled === 0 || status === 'canceled',
            `it was canceled, and is ${String(status)}`,
          ),
          ...told(others, 'have answers that no such race may have'),
        ],
        ofBook: (book) => {
          const lines = book.filter(
            ({ operation, parent }) =>
              ['capture', 'void'].includes(operation) && parent === held.processorId,
          );
          const fits =
            lines.length === 1 && (lines[0]?.operation === 'capture') === (status === 'succeeded');
          return unless(
            fits,
            `the processor booked ${lines.map(({ operation }) => operation).join() || 'nothing'}`,
          );
        },
      };
    };
    return { racers, judge };
  },

  cancel_against_queued: async (world: BurstWorld): Promise<Burst> => {
    const key = world.dice.uuid();
    const first = {
      ...pay(world, key),
      headers: [['Prefer', 'respond-async'] as [string, string]],
    };
    const { id } = paymentIn(await world.ask(first));
    const ways: (() => Racer)[] = [
      () => first,
      () => step(`/v1/payments/${id}/cancel`, world, {}),
      () => ({ path: '/v1/cancellations', key: null, body: { idempotency_key: key } }),
    ];
    const racers = Array.from({ length: world.wide }, () => world.dice.pick(ways)());
    return { racers, judge: (raced) => chargedOrCanceled(world, raced, `/v1/payments/${id}`) };
  },

  cancel_against_first: async (world: BurstWorld): Promise<Burst> => {
    const key = world.dice.uuid();
    const ways: Racer[] = [
      pay(world, key),
      { path: '/v1/cancellations', key: null, body: { idempotency_key: key } },
    ];
    const racers = Array.from({ length: world.wide }, () => world.dice.pick(ways));
    return { racers, judge: (raced) => chargedOrCanceled(world, raced, null) };
  },
} as const;
