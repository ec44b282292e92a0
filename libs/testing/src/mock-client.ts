/** Plain HTTP towards the mock processor: no client library tidies what is sent or what comes back. */
export class MockClient {
  constructor(readonly url: string) {}

  /** A charge with everything but what the test is about filled in. */
  charge(paymentMethod: string, options: ChargeOptions = {}): Promise<MockAnswer> {
    const { key, intent, ...more } = options;
    const form: Record<string, string> = {
      amount: '2500',
      currency: 'myr',
      confirm: 'true',
      payment_method: paymentMethod,
      ...(intent !== undefined && { 'metadata[payonce_intent]': intent }),
      ...more,
    };
    return this.post('/v1/payment_intents', form, key);
  }

  post(path: string, form: Record<string, string> = {}, key?: string): Promise<MockAnswer> {
    return this.send('POST', path, {
      body: new URLSearchParams(form).toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(key !== undefined && { 'idempotency-key': key }),
      },
    });
  }

  get(path: string): Promise<MockAnswer> {
    return this.send('GET', path);
  }

  control(method: string, path: string, body?: unknown): Promise<MockAnswer> {
    const json = { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    return this.send(method, `/_control/${path}`, body === undefined ? {} : json);
  }

  faults(body: Record<string, unknown>): Promise<MockAnswer> {
    return this.control('PUT', 'faults', body);
  }

  advance(ms: number): Promise<MockAnswer> {
    return this.control('POST', 'clock', { advance_ms: ms });
  }

  async book(): Promise<BookLine[]> {
    const { text } = await this.get('/_control/book');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as BookLine);
  }

  /** How often money was charged, which is what an idempotency key is about. */
  async chargeCount(): Promise<number> {
    return (await this.book()).filter((line) => line.operation === 'charge').length;
  }

  async send(method: string, path: string, init: RequestInit = {}): Promise<MockAnswer> {
    const headers = new Headers(init.headers);
    if (!headers.has('authorization')) headers.set('authorization', 'Bearer sk_test_mock');
    const response = await fetch(`${this.url}${path}`, { ...init, method, headers });
    const text = await response.text();
    return new MockAnswer(response.status, response.headers, text);
  }
}

export type ChargeOptions = { key?: string; intent?: string; [parameter: string]: string };

export class MockAnswer {
  constructor(
    readonly status: number,
    readonly headers: Headers,
    readonly text: string,
  ) {}

  /** The body, for tests that say what they expect of it anyway. */
  get json(): any {
    return JSON.parse(this.text);
  }
}

export type BookLine = {
  seq: number;
  at: string;
  operation: string;
  idempotency_key: string | null;
  id: string;
  parent: string | null;
  amount: number;
  currency: string;
  status: string;
  metadata: Record<string, string>;
};
