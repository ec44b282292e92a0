import { expect } from 'vitest';
import type { Answer, ApiClient } from '#testing/http.js';
import { type System, startSystem } from '#testing/system.js';

/** The running application, and what is done with payments that exist. */
export type StepsWorld = {
  system: System;
  client: ApiClient;
  /** A payment that was taken, by its id. */
  pay(body?: object): Promise<string>;
  /** One whose money is only held. */
  authorize(body?: object): Promise<string>;
  capture(id: string, body?: object, key?: string, by?: ApiClient): Promise<Answer>;
  refund(id: string, body?: object, key?: string, by?: ApiClient): Promise<Answer>;
  cancel(id: string, key?: string): Promise<Answer>;
  read(id: string): Promise<any>;
  readRefund(id: string): Promise<any>;
  /** Amounts of one kind of move of a payment: in the processor's book, and in our ledger. */
  moved(id: string, kind: 'capture' | 'refund'): Promise<{ there: number[]; here: number[] }>;
  /** The steps of its timeline, each with its detail. */
  timeline(id: string): Promise<[string, string | null][]>;
};

export async function startStepsWorld(): Promise<StepsWorld> {
  const system = await startSystem({ bendTime: true });
  const { client } = system;
  const step = (id: string, name: string, body?: object, key?: string, by: ApiClient = client) =>
    by.post(`/v1/payments/${id}/${name}`, body, key);
  const read = async (id: string) => (await client.get(`/v1/payments/${id}`)).json;
  return {
    system,
    client,
    pay: (body = {}) => made(client, body, 'succeeded'),
    authorize: (body = {}) => made(client, { capture: 'manual', ...body }, 'authorized'),
    capture: (id, body, key, by) => step(id, 'capture', body, key, by),
    refund: (id, body, key, by) => step(id, 'refunds', body, key, by),
    cancel: (id, key) => step(id, 'cancel', undefined, key),
    read,
    readRefund: async (id) => (await client.get(`/v1/refunds/${id}`)).json,
    async moved(id, kind) {
      const { processor } = await read(id);
      const lines = await system.booked(kind);
      const { rows } = await system.owner.query(
        `SELECT amount::int FROM ledger_entries WHERE payment_id = $1 AND entry_kind = $2 ORDER BY id`,
        [id, kind],
      );
      return {
        there: lines.filter(({ parent }) => parent === processor.id).map(({ amount }) => amount),
        here: rows.map(({ amount }) => amount),
      };
    },
    async timeline(id) {
      const { json } = await client.get(`/v1/payments/${id}/timeline`);
      return json.data.map(({ kind, detail }: { kind: string; detail: string | null }) => [
        kind,
        detail,
      ]);
    },
  };
}

async function made(client: ApiClient, body: object, as: string): Promise<string> {
  const { status, json, text } = await client.pay(body);
  expect([status, json.status], text).toEqual([201, as]);
  return json.id;
}
