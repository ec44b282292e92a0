import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type System, startSystem } from '#testing/system.js';
import { createApp } from '../../apps/payments-api/src/create-app.js';
import { runIdleSockets } from '../../ops/abuse/idle-sockets.js';
import { runSlowClients } from '../../ops/abuse/slow-clients.js';

let system: System;
beforeAll(async () => void (system = await startSystem()));
afterAll(() => system.close());

describe('slow and endless clients', () => {
  let app: NestFastifyApplication;
  let server: Server;
  let url: string;
  beforeAll(async () => {
    app = await createApp(system.core);
    await app.listen(0, '127.0.0.1');
    server = app.getHttpServer();
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => app.close());

  it('have ten seconds for the headers and fifteen for all of it', () => {
    expect(server).toMatchObject({ headersTimeout: 10_000, requestTimeout: 15_000 });
  });

  it('are given up in time, and a normal client is served all the while', async () => {
    // The real limits would take as long as they say.
    server.headersTimeout = 1_000;
    server.requestTimeout = 1_500;
    const { apiKey: key } = system.client;
    const { ends, served, findings } = await runSlowClients({ url, key, trickleMs: 50 });
    expect(findings).toEqual([]);
    expect(ends).toMatchObject({ headers: '408', body: '408' });
    expect(served).toBeGreaterThan(1);
    const { rows } = await system.owner.query('SELECT count(*)::int AS keys FROM idempotency_keys');
    expect(rows).toEqual([{ keys: 0 }]);
  });
});

describe('hundreds of sockets that say nothing', () => {
  it('leave a normal client served', async () => {
    const { url, apiKey: key } = system.client;
    const found = await runIdleSockets({ url, key, count: 500, requests: 20 });
    expect(found).toMatchObject({ opened: 500, skipped: null, served: 20, findings: [] });
  });

  it('are not tried, and that is said aloud, where so many files cannot be open', async () => {
    const { url, apiKey: key } = system.client;
    const found = await runIdleSockets({ url, key, count: 100_000_000 });
    expect(found).toMatchObject({ opened: 0, served: 0 });
    expect(found.skipped).toMatch(/^SKIPPED: 100000000 idle sockets need ulimit -n of at least/);
  });
});
