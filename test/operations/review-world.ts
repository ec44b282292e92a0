import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Answer, ApiClient } from '#testing/http.js';
import { type System, startSystem } from '#testing/system.js';
import { type Books, readBooks } from '#testing/three-books.js';

export const HOUR_MS = 3_600_000;
/** Past the send limit the first look-up that tells nothing calls for a person. */
const PAST_THE_SEND_LIMIT_MS = 13 * HOUR_MS;

export type InReview = { paymentId: string; operationId: string; key: string; body: object };

/** A system with an operator, and charges that recovery has given to people. */
export class ReviewWorld {
  private constructor(
    readonly system: System,
    readonly ann: ApiClient,
  ) {}

  static async start(): Promise<ReviewWorld> {
    const system = await startSystem({ bendTime: true });
    return new ReviewWorld(system, await system.newOperator('Ann'));
  }

  /** Charges that end unknown, in review, with a processor that answers nothing until `processorIsBack`. */
  async inReview(...methods: string[]): Promise<InReview[]> {
    const made: InReview[] = [];
    for (const method of methods) {
      const key = randomUUID();
      const body = { payment_method: method, order_id: key };
      const { status, json } = await this.system.client.pay(body, key);
      expect(status).toBe(202);
      const { rows } = await this.system.owner.query(
        'SELECT id FROM operations WHERE payment_id = $1',
        [json.id],
      );
      made.push({ paymentId: json.id, operationId: rows[0].id, key, body });
    }
    await this.system.mockClient.faults({ fault: 'down' });
    await this.system.advance(PAST_THE_SEND_LIMIT_MS);
    expect(await this.system.sweep()).toEqual({ 202: methods.length });
    return made;
  }

  async processorIsBack(): Promise<void> {
    await this.system.mockClient.control('DELETE', 'faults');
  }

  queue(client = this.ann): Promise<any[]> {
    return client.get('/v1/operations/reviews').then(({ json }) => json.data);
  }

  audit(client = this.ann): Promise<any[]> {
    return client.get('/v1/operations/audit').then(({ json }) => json.data);
  }

  act(path: string, body: unknown, client = this.ann): Promise<Answer> {
    return client.send('POST', `/v1/operations/${path}`, {
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  }

  lookUp(id: string, client = this.ann, reason = 'the bank asks'): Promise<Answer> {
    return this.act(`reviews/${id}/lookup`, { reason }, client);
  }

  resolve(id: string, body: object, client = this.ann): Promise<Answer> {
    return this.act(`reviews/${id}/resolve`, { reason: 'seen there', ...body }, client);
  }

  books({ key }: InReview): Promise<Books> {
    const { owner, mockClient, account } = this.system;
    return readBooks({ owner, mockClient, accountId: account.id }, key);
  }

  /** The caller's own request once more. */
  retry({ body, key }: InReview): Promise<Answer> {
    return this.system.client.pay(body, key);
  }

  close(): Promise<void> {
    return this.system.close();
  }
}
