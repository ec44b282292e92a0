import { randomUUID } from 'node:crypto';

/** An answer with its bytes as they came. */
export type Answer = {
  status: number;
  headers: Headers;
  text: string;
  /** The body parsed; null if it is not JSON. */
  json: any;
};

/** Speaks to the API as one caller. */
export class ApiClient {
  constructor(
    readonly url: string,
    readonly apiKey: string,
  ) {}

  /** POST /v1/payments with an honest body; what the test is about overrides it. */
  pay(
    body: object = {},
    key: string = randomUUID(),
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return this.send('POST', '/v1/payments', {
      body: JSON.stringify({ ...honestBody(), ...body }),
      headers: { 'content-type': 'application/json', 'idempotency-key': key, ...headers },
    });
  }

  /** POST to a route that takes a key. No body is none at all: no bytes, and no Content-Type. */
  post(
    path: string,
    body?: object,
    key: string = randomUUID(),
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const type = { 'content-type': 'application/json' };
    return this.send('POST', path, {
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: { ...(body === undefined ? {} : type), 'idempotency-key': key, ...headers },
    });
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('GET', path, { headers });
  }

  async send(
    method: string,
    path: string,
    init: { body?: string | Buffer; headers?: Record<string, string> },
  ) {
    const response = await fetch(this.url + path, {
      method,
      headers: { authorization: `Bearer ${this.apiKey}`, ...init.headers },
      ...(init.body === undefined ? {} : { body: init.body }),
    });
    return answerOf(response);
  }
}

export function honestBody() {
  return { amount: 2500, currency: 'myr', payment_method: 'pm_123' };
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
