import type { Asked, Heard, RecordedClient } from '../prove/client.js';
import type { World } from '../prove/world.js';

export type Thing = { id: string; processor?: { id: string } | null; status: string };

/** A request as its caller keeps it until it has the answer: the same key and the same bytes go out again. */
export type Kept = {
  what: 'payment' | 'capture' | 'refund';
  asked: Asked;
  /** The processor's id in the answer that was heard, which only payments tell; null if none was. */
  told: string | null;
};

/** A caller who keeps every request, and retries under its key. */
export class Caller {
  readonly kept: Kept[] = [];
  readonly #client: RecordedClient;

  constructor(private readonly world: World) {
    this.#client = world.client('caller');
  }

  /** Returns when the answer is there, and final. */
  async pay(key: string, more: object = {}): Promise<Thing> {
    return this.#send(this.#payment(key, more));
  }

  async capture(paymentId: string, key: string): Promise<Thing> {
    const asked = this.#post(`/v1/payments/${paymentId}/capture`, key, {});
    return this.#send({ what: 'capture', asked, told: null });
  }

  async refund(paymentId: string, key: string): Promise<Thing> {
    const asked = this.#post(`/v1/payments/${paymentId}/refunds`, key, {});
    return this.#send({ what: 'refund', asked, told: null });
  }

  /** Sends it once. Whoever waits for the answer hears nothing if the service dies before it. */
  payAndDie(key: string): Promise<Heard> {
    const kept = this.#payment(key, {});
    this.kept.push(kept);
    return this.#client.send(kept.asked);
  }

  /** One more request, that says what the service does with new ones. */
  once(key: string): Promise<Heard> {
    return this.#client.send(this.#payment(key, {}).asked);
  }

  again({ asked }: Kept): Promise<Heard> {
    return this.#client.sendUntilFinal(asked);
  }

  async #send(kept: Kept): Promise<Thing> {
    this.kept.push(kept);
    const heard = await this.again(kept);
    const thing = thingIn(heard);
    if (thing === null) throw new Error(`${kept.asked.key}: ${heard.status} ${heard.text}`);
    kept.told = thing.processor?.id ?? null;
    return thing;
  }

  #payment(key: string, more: object): Kept {
    const body = { amount: 2500, currency: 'myr', payment_method: 'pm_card_visa', order_id: key };
    return {
      what: 'payment',
      asked: this.#post('/v1/payments', key, { ...body, ...more }),
      told: null,
    };
  }

  #post(path: string, key: string, body: object): Asked {
    const [account] = this.world.accounts;
    if (account === undefined) throw new Error('Bug: the world has no account');
    return { account, method: 'POST', path, key, body: JSON.stringify(body) };
  }
}

/** The payment or refund that an answer tells; null for every other answer. */
export function thingIn({ status, text }: Heard): Thing | null {
  return status === 200 || status === 201 ? (JSON.parse(text ?? 'null') as Thing) : null;
}
