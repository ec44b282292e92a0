import type { Asked, RecordedClient } from './client.js';
import type { World } from './world.js';

type Paid = { id: string; processor: { id: string } };

/** Somebody who takes one payment and what follows it, all under keys of one name. */
export class Merchant {
  readonly #client: RecordedClient;

  constructor(
    private readonly world: World,
    private readonly key: string,
  ) {
    this.#client = world.client(key);
  }

  async pay(method: string, more = ''): Promise<Paid> {
    const body = { ...PRICE, order_id: this.key, payment_method: method };
    const answer = await this.#post('/v1/payments', `${this.key}${more}`, body);
    return (answer['payment'] ?? answer) as Paid; // a decline tells of the payment that it declines
  }

  async refund(id: string): Promise<void> {
    await this.#post(`/v1/payments/${id}/refunds`, `${this.key}-refund`, {});
  }

  async #post(path: string, key: string, body: object): Promise<Record<string, unknown>> {
    const [account] = this.world.accounts;
    if (account === undefined) throw new Error('Bug: the world has no account');
    const asked: Asked = { account, method: 'POST', path, key, body: JSON.stringify(body) };
    const { text = '' } = await this.#client.sendUntilFinal(asked);
    return JSON.parse(text) as Record<string, unknown>;
  }
}

const PRICE = { amount: 700, currency: 'myr' };
