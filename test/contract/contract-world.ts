import { randomUUID } from 'node:crypto';
import supertest from 'supertest';
import { expect, vi } from 'vitest';
import type { Answer } from '#testing/http.js';
import { type Raw, rawPayment, sendRaw } from '#testing/raw-request.js';
import { RecordingProxy } from '#testing/recording-proxy.js';
import { type System, type SystemOptions, startSystem } from '#testing/system.js';

/** The running application, and everything that a case of the contract looks at. */
export type World = {
  system: System;
  processor: RecordingProxy;
  /** POST /v1/payments through supertest, the body byte for byte as given. */
  post(body: string | Buffer, options?: PostOptions): Promise<Answer>;
  /** The same through a bare socket, with these header lines. */
  raw(lines: Raw[], body?: Raw, options?: { end?: boolean }): Promise<Answer & { raw: string }>;
  /** What a request may leave behind: rows by table, and charges asked of the processor. */
  footprint(): Promise<Record<string, number>>;
  close(): Promise<void>;
};

export type PostOptions = { key?: string; apiKey?: string; headers?: Record<string, string> };

export const HONEST = '{"amount":2500,"currency":"myr","payment_method":"pm_123"}';

export async function startWorld(options: SystemOptions = {}): Promise<World> {
  const processor = await RecordingProxy.start();
  const system = await startSystem({
    ...options,
    env: { STRIPE_API_BASE: processor.url, ...options.env },
  });
  processor.target = system.mock.url;
  const { client, owner } = system;
  await warm(system);
  return {
    system,
    processor,
    post: (content, given) => post(client.url, client.apiKey, content, given),
    raw: (lines, content = HONEST, given = {}) =>
      sendRaw(client.url, rawPayment(client.apiKey, lines, content), given),
    async footprint() {
      const { rows } = await owner.query(COUNTS);
      return { ...rows[0], charges_asked: processor.charges.length };
    },
    async close() {
      await system.close();
      await processor.close();
    },
  };
}

/** The honest body with some members replaced by raw JSON text, which JSON.stringify might tidy. */
export function body(members: Record<string, string>): string {
  const whole = { amount: '2500', currency: '"myr"', payment_method: '"pm_123"', ...members };
  const lines = Object.entries(whole).map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  return `{${lines.join(',')}}`;
}

/** Opens the connections behind the application: a case is about its request, not about a cold start. */
async function warm({ client }: System): Promise<void> {
  const several = async () => {
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => client.pay()));
    expect(answers.some(({ status }) => status === 201)).toBe(true);
  };
  await vi.waitFor(several, { timeout: 60_000 });
}

const TABLES = ['idempotency_keys', 'payments', 'operations', 'attempts', 'order_slots'];
const COUNTS = `SELECT ${TABLES.map((name) => `(SELECT count(*)::int FROM ${name}) AS ${name}`).join(', ')}`;

async function post(
  url: string,
  apiKey: string,
  content: string | Buffer,
  { key = randomUUID(), headers = {}, ...options }: PostOptions = {},
): Promise<Answer> {
  const response = await supertest(url)
    .post('/v1/payments')
    .set({
      authorization: `Bearer ${options.apiKey ?? apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': key,
      ...headers,
    })
    .serialize((sent: unknown) => sent as string) // superagent would quote a string as JSON
    .send(content)
    .buffer(true)
    .parse(asText)
    .ok(() => true);
  const text = String(response.body);
  const answerHeaders = new Headers(response.headers);
  return { status: response.status, headers: answerHeaders, text, json: parsed(text) };
}

/** Keeps the bytes of an answer away from superagent's own parsers. */
function asText(
  response: { on(event: string, listener: (chunk: Buffer) => void): unknown },
  done: (error: Error | null, text: string) => void,
): void {
  const chunks: Buffer[] = [];
  response.on('data', (chunk) => chunks.push(chunk));
  response.on('end', () => done(null, Buffer.concat(chunks).toString()));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
