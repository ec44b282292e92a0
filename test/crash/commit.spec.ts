import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Db } from '#postgres/db.js';
import { StatementUnconfirmed } from '#postgres/errors.js';
import { openPool } from '#postgres/pool.js';
import { statement } from '#postgres/statement.js';
import { type DatabaseProxy, type Passage, startDatabaseProxy } from '#testing/database-proxy.js';
import type { Answer } from '#testing/http.js';
import { type System, startSystem } from '#testing/system.js';
import { type Books, disagreements, readBooks } from '#testing/three-books.js';

const LEASE_MS = 30_000;
/** A lease, the longest statement and the mark's margin. */
const PAST_SWEEP_MS = LEASE_MS + 7_000;
const CUTS = ['cut_before', 'cut_after'] as const;

describe('a database connection that is cut', () => {
  let proxy: DatabaseProxy;
  let system: System;
  beforeAll(async () => {
    proxy = await startDatabaseProxy();
    const env = { LEASE_MS: String(LEASE_MS), PROCESSOR_TIMEOUT_MS: '1000' };
    system = await startSystem({ env, bendTime: true, appUrl: (url) => proxy.urlFor(url) });
    expect((await system.client.pay()).status).toBe(201);
  });
  afterAll(async () => {
    await system?.close();
    await proxy?.close();
  });

  const read = (key: string): Promise<Books> =>
    readBooks(
      { owner: system.owner, mockClient: system.mockClient, accountId: system.account.id },
      key,
    );
  const agree = async (key: string, heard: Answer[]) =>
    expect(disagreements(await read(key), heard)).toEqual([]);

  /** Nobody is hurt by it, and its server process hears no statement again. */
  async function isForgotten(cut: Passage): Promise<void> {
    const before = proxy.passages.length;
    const innocent = await Promise.all([1, 2, 3].map(() => system.client.pay()));
    expect(innocent.map(({ status }) => status)).toEqual([201, 201, 201]);
    const users = proxy.passages.slice(before).map(({ pid }) => pid);
    expect(users.length).toBeGreaterThan(5);
    expect(users).not.toContain(cut.pid);
  }

  describe.each(CUTS)('%s', (action) => {
    it('around the claim: it is recognised by its own token and charged in the same request', async () => {
      const key = randomUUID();
      const cut = proxy.plan({ statement: 'payments.claim', action });
      const answer = await system.client.pay({ order_id: key }, key);
      await isForgotten(await cut);
      expect(answer.status, answer.text).toBe(201);
      expect(answer.headers.get('idempotent-replayed')).toBeNull();
      await agree(key, [answer, await system.client.pay({ order_id: key }, key)]);
    });

    it('around the record step: the committed bytes, or 202 and never 201 from memory', async () => {
      const key = randomUUID();
      const cut = proxy.plan({ statement: 'payments.record', action });
      const answer = await system.client.pay({ order_id: key }, key);
      await isForgotten(await cut);
      expect(answer.status, answer.text).toBe(action === 'cut_after' ? 201 : 202);
      expect(answer.headers.get('idempotent-replayed')).toBeNull();
      const committed = action === 'cut_after';
      expect((await read(key)).payment?.status).toBe(committed ? 'succeeded' : 'pending');
      const soon = await system.client.pay({ order_id: key }, key);
      expect(soon.status, soon.text).toBe(committed ? 201 : 409);
      await system.advance(PAST_SWEEP_MS);
      await system.settle(answer.json.id);
      await agree(key, [answer, soon, await system.client.pay({ order_id: key }, key)]);
    });

    it('around a takeover: nothing is sent by who does not know that it holds the lease', async () => {
      const key = randomUUID();
      const first = await leftByItsOwner(key);
      const cut = proxy.plan({ statement: 'payments.take_up', action });
      const charged = (await read(key)).charges.length;
      const retried = await system.client.pay({ order_id: key }, key);
      await isForgotten(await cut);
      expect(retried.status, retried.text).toBe(503);
      expect(retried.json).toMatchObject({ code: 'database_unavailable' });
      expect((await read(key)).charges).toHaveLength(charged);
      const soon = await system.client.pay({ order_id: key }, key);
      expect(soon.status, soon.text).toBe(action === 'cut_after' ? 409 : 201);
      await system.advance(PAST_SWEEP_MS);
      await system.settle(first.json.id);
      await agree(key, [first, retried, soon, await system.client.pay({ order_id: key }, key)]);
    });

    it('around a takeover by the sweep: the item comes due again', async () => {
      const key = randomUUID();
      const first = await leftByItsOwner(key);
      const cut = proxy.plan({ statement: 'payments.take_up', action });
      await system.advance(1_000);
      await system.sweep();
      await isForgotten(await cut);
      expect((await read(key)).payment?.status).toBe('pending');
      await system.advance(PAST_SWEEP_MS);
      await system.settle(first.json.id);
      await agree(key, [first, await system.client.pay({ order_id: key }, key)]);
    });

    it('around leaving an outcome unknown: 202, and recovery comes back to it', async () => {
      const key = randomUUID();
      const body = { order_id: key, payment_method: 'pm_test_lose_response' };
      const cut = proxy.plan({ statement: 'payments.leave_unknown', action });
      const answer = await system.client.pay(body, key);
      await isForgotten(await cut);
      expect(answer.status, answer.text).toBe(202);
      await system.advance(PAST_SWEEP_MS);
      await system.settle(answer.json.id);
      await agree(key, [answer, await system.client.pay(body, key)]);
    });

    it('around a release: 202, since nobody can promise that nothing will be sent', async () => {
      const key = randomUUID();
      const body = { order_id: key, payment_method: 'pm_test_busy' };
      const cut = proxy.plan({ statement: 'payments.release', action });
      const answer = await system.client.pay(body, key);
      await isForgotten(await cut);
      expect(answer.status, answer.text).toBe(202);
      const books = await read(key);
      expect(books.key?.state).toBe(action === 'cut_after' ? 'released' : 'started');
      expect(books.charges).toHaveLength(0);
      await system.advance(PAST_SWEEP_MS);
      await system.sweep();
      // What was released waits for its caller; what may have been sent does not.
      expect((await read(key)).charges).toHaveLength(action === 'cut_after' ? 0 : 1);
      await agree(key, [answer, await system.client.pay(body, key)]);
    });
  });

  it('at both tries of a claim: 503, and a retry takes over what was claimed', async () => {
    const key = randomUUID();
    const cuts = [1, 2].map((passage) =>
      proxy.plan({ statement: 'payments.claim', action: 'cut_after', passage }),
    );
    const answer = await system.client.pay({ order_id: key }, key);
    expect(answer.status, answer.text).toBe(503);
    for (const cut of await Promise.all(cuts)) await isForgotten(cut);
    expect((await read(key)).charges).toHaveLength(0);
    const soon = await system.client.pay({ order_id: key }, key);
    expect(soon.status, soon.text).toBe(409);
    await system.advance(LEASE_MS);
    const last = await system.client.pay({ order_id: key }, key);
    expect(last.status, last.text).toBe(201);
    await agree(key, [answer, soon, last]);
  });

  it('at the record step and at every look after it: 202', async () => {
    const key = randomUUID();
    void proxy.plan({ statement: 'payments.record', action: 'cut_after' });
    const look = proxy.plan({ statement: 'payments.find_key', action: 'cut_before' });
    const answer = await system.client.pay({ order_id: key }, key);
    await isForgotten(await look);
    expect(answer.status, answer.text).toBe(202);
    await agree(key, [answer, await system.client.pay({ order_id: key }, key)]);
  });

  it('by the client, since the answer to a commit never came: looked up on another connection', async () => {
    const key = randomUUID();
    const held = proxy.plan({ statement: 'payments.record', action: 'hold' });
    const answer = await system.client.pay({ order_id: key }, key);
    expect(answer.status, answer.text).toBe(201);
    await isForgotten(await held);
    await agree(key, [answer, await system.client.pay({ order_id: key }, key)]);
  });

  /** A payment whose outcome is unknown and whose lease nobody holds. */
  async function leftByItsOwner(key: string): Promise<Answer> {
    const body = { order_id: key };
    void proxy.plan({ statement: 'payments.record', action: 'cut_before' });
    const answer = await system.client.pay(body, key);
    expect(answer.status, answer.text).toBe(202);
    await system.advance(PAST_SWEEP_MS);
    return answer;
  }
});

describe('a transaction whose COMMIT is cut', () => {
  const NOTE = statement<{ pid: number }>(
    'test.note',
    `INSERT INTO notes VALUES ($1) RETURNING pg_backend_pid() AS pid`,
  );

  it.each([
    ['cut_before', 0],
    ['cut_after', 1],
    ['hold', 1],
  ] as const)('%s is unconfirmed, and its connection is destroyed', async (action, kept) => {
    const proxy = await startDatabaseProxy();
    const system = await startSystem();
    await system.owner.query('CREATE TABLE notes (words text); GRANT ALL ON notes TO PUBLIC');
    const db = new Db(
      openPool({
        url: proxy.urlFor(system.database.appUrl),
        applicationName: 'test',
        connectionsMax: 1,
        onIdleError: () => {},
      }),
    );
    try {
      const cut = proxy.plan({ statement: 'COMMIT', action });
      const work = db.transaction((tx) => tx.run(NOTE, ['first']));
      await expect(work).rejects.toBeInstanceOf(StatementUnconfirmed);
      expect(proxy.passages.map(({ statement: name }) => name)).not.toContain('ROLLBACK');
      const rows = async () => (await system.owner.query('SELECT FROM notes')).rowCount;
      await expect.poll(rows).toBe(kept);
      const [innocent] = await db.transaction((tx) => tx.run(NOTE, ['second']));
      expect(innocent?.pid).not.toBe((await cut).pid);
      expect(await rows()).toBe(kept + 1);
    } finally {
      await db.close();
      await system.close();
      await proxy.close();
    }
  });
});
