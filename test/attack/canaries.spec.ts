import { randomInt, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOperatorKey } from '#accounts/manage-api-keys.js';
import { DEMO_STRIPE_KEY, DEMO_WEBHOOK_SECRET } from '#platform/config.js';
import { Db } from '#postgres/db.js';
import { openPool } from '#postgres/pool.js';
import { systemRandom } from '#seams/random.js';
import { honestBody } from '#testing/http.js';
import { ProcessSystem } from '#testing/process-system.js';
import { Processes, type ServiceProcess } from '#testing/processes.js';
import { until } from '#testing/until.js';
import {
  type Canary,
  type Place,
  isFreeText,
  makeCanaries,
  scanFor,
} from '../../ops/abuse/canaries.js';
import { sign } from '../../ops/abuse/valid-draft.js';

const INPUTS = [
  'description', 'metadata', 'order_id', 'refund_reason', 'payment_method', 'idempotency_key', 'user_agent', 'authorization',
  'prefer', 'query', 'path', 'field_name', 'content_type', 'cancel_key', 'operator_reason', 'event_secret', 'signature',
]; // prettier-ignore

describe('card numbers and secrets in every input', () => {
  let system: ProcessSystem;
  let processes: Processes;
  let services: ServiceProcess[];
  let operatorKey: string;
  let firstWal: string;
  const canaries = makeCanaries(randomInt(2 ** 31), INPUTS);
  const refusals: string[] = [];
  const timelines: string[] = [];
  beforeAll(async () => {
    system = await ProcessSystem.start();
    processes = new Processes();
    // Else a checkpoint, ours or that of a neighbour on this server, takes away what is to be searched.
    await system.owner.query(`ALTER SYSTEM SET wal_keep_size = '8GB'`);
    await system.owner.query('SELECT pg_reload_conf()');
    firstWal = await walFile();
    services = [await system.api(processes), await system.worker(processes)];
    operatorKey = await makeOperator();
  });
  afterAll(async () => {
    await processes.endAll();
    await system.owner.query('ALTER SYSTEM RESET wal_keep_size');
    await system.owner.query('SELECT pg_reload_conf()');
    await system.close();
  });

  it('stand where a merchant wrote them for themselves, and nowhere else', async () => {
    for (const kind of ['card', 'secret'] as const) await useAll(kind);
    const waiting = `SELECT count(*)::int AS n FROM webhook_inbox WHERE state = 'received'`;
    await until(async () => (await system.owner.query(waiting)).rows[0].n === 0);
    for (const service of services) service.kill('SIGTERM');
    await Promise.all(services.map(({ exit }) => exit));
    await system.owner.query('CHECKPOINT');
    const own: Canary[] = [system.apiKey, operatorKey, DEMO_WEBHOOK_SECRET, DEMO_STRIPE_KEY].map(
      (text) => ({
        kind: 'secret',
        input: 'our own',
        text,
      }),
    );
    const sightings = await scanFor([...canaries, ...own], await places());
    expect(sightings.filter(({ allowed }) => !allowed)).toEqual([]);
    // Else the search has not looked at what it should.
    for (const place of ['the tables', 'the files of the database', 'the write-ahead log']) {
      const seen = sightings.filter((one) => one.place === place).map(({ input }) => input);
      expect(new Set(seen), place).toEqual(
        new Set(['description', 'metadata', 'order_id', 'refund_reason']),
      );
    }
  });

  async function useAll(kind: Canary['kind']): Promise<void> {
    const of = (input: string) => {
      const found = canaries.find((one) => one.kind === kind && one.input === input);
      if (found === undefined) throw new Error(`No canary for ${input}`);
      return found.text;
    };
    const texts = {
      description: `${of('description')}\r\n{"level":"critical","event":"forged"}`,
      metadata: { a: of('metadata') },
      order_id: of('order_id'),
    };
    const paid = await send('POST', '/v1/payments', { ...honestBody(), ...texts });
    const { id } = JSON.parse(paid);
    const declined = {
      ...honestBody(),
      ...texts,
      order_id: `${of('order_id')}-2`,
      payment_method: 'pm_card_chargeDeclined',
    };
    await send('POST', '/v1/payments', declined);
    await send('POST', `/v1/payments/${id}/refunds`, { amount: 1, reason: of('refund_reason') });
    const refused = await send('POST', '/v1/payments', {
      ...honestBody(),
      payment_method: of('payment_method'),
    });
    expect(JSON.parse(refused).param).toBe('payment_method');
    const key = of('idempotency_key');
    await send('POST', '/v1/payments', honestBody(), { 'idempotency-key': key });
    await send('POST', '/v1/payments', { ...honestBody(), amount: 1 }, { 'idempotency-key': key });
    await send('POST', '/v1/cancellations', { idempotency_key: of('cancel_key') });
    await send('GET', '/v1/payments', null, {
      'user-agent': `shop ${of('user_agent')}`,
      prefer: of('prefer'),
    });
    await send('GET', '/v1/payments', null, { authorization: `Bearer ${of('authorization')}` });
    await send('GET', `/v1/payments?${of('query')}=1&order_id=${of('query')}`, null);
    await send('GET', `/v1/payments/${of('path')}`, null);
    await send('POST', '/v1/payments', {
      ...honestBody(),
      [of('field_name')]: { a: of('field_name') },
    });
    await send('POST', '/v1/payments', honestBody(), {
      'content-type': `text/${of('content_type')}`,
    });
    const range = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };
    const act = { ...range, reason: `asked by ${of('operator_reason')}` };
    await send('POST', '/v1/operations/inbox/replay', act, {
      authorization: `Bearer ${operatorKey}`,
    });
    await receive(of('event_secret'), of('signature'), kind);
    timelines.push(await send('GET', `/v1/payments/${id}/timeline`, null));
    timelines.push(
      await send('GET', '/v1/operations/audit', null, { authorization: `Bearer ${operatorKey}` }),
    );
  }

  /** A secret of an object that the processor tells of; and what is no signature at all. */
  async function receive(secret: string, signature: string, kind: Canary['kind']): Promise<void> {
    const object = {
      id: 'pi_1',
      object: 'payment_intent',
      client_secret: kind === 'secret' ? secret : 'none',
    };
    const event = {
      id: `evt_${randomUUID()}`,
      object: 'event',
      type: 'payment_intent.succeeded',
      created: 1,
      data: { object },
    };
    const { rows } = await system.owner.query(
      'SELECT extract(epoch FROM clock_timestamp())::int AS seconds',
    );
    const right = sign(DEMO_WEBHOOK_SECRET, Buffer.from(JSON.stringify(event)), rows[0].seconds);
    expect(await send('POST', '/webhooks/stripe', event, { 'stripe-signature': right })).toContain(
      'received',
    );
    await send('POST', '/webhooks/stripe', event, { 'stripe-signature': `t=1,v1=${signature}` });
  }

  async function send(
    method: string,
    path: string,
    body: object | null,
    more: Record<string, string> = {},
  ): Promise<string> {
    const answer = await fetch(services[0]!.url + path, {
      method,
      headers: {
        authorization: `Bearer ${system.apiKey}`,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
        ...more,
      },
      ...(body === null ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (answer.status >= 400) refusals.push(text);
    expect(answer.status, `${path} ${text}`).toBeLessThan(500);
    return text;
  }

  async function places(): Promise<Place[]> {
    const { rows } = await system.owner.query(
      `SELECT current_setting('data_directory') AS data,
              (SELECT oid FROM pg_database WHERE datname = current_database()) AS oid`,
    );
    const { data, oid } = rows[0];
    const logs = services.flatMap(({ logLines }) => logLines.map((line) => JSON.stringify(line)));
    expect(logs.length).toBeGreaterThan(30);
    expect(logs.filter((line) => /not_json|forged/.test(line))).toEqual([]);
    expect(refusals.length).toBeGreaterThan(10);
    return [
      { name: 'logs', at: { text: logs.join('\n') } },
      { name: 'problems', at: { text: refusals.join('\n') } },
      { name: 'timelines and the audit log', at: { text: timelines.join('\n') } },
      { name: 'the tables', at: { text: await dump() }, mayHold: isFreeText },
      {
        name: 'the files of the database',
        at: { folder: join(data, 'base', String(oid)) },
        mayHold: isFreeText,
      },
      ...(await walFiles(data)).map((file) => ({
        name: 'the write-ahead log',
        at: { file },
        mayHold: isFreeText,
      })),
    ];
  }

  /** Every row of every table, with what is kept as bytes in clear. */
  async function dump(): Promise<string> {
    const { rows: tables } = await system.owner.query(
      `SELECT format('%I', tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
    );
    const parts: string[] = [];
    for (const { name } of tables) {
      const { rows } = await system.owner.query(`SELECT to_jsonb(t)::text AS row FROM ${name} t`);
      parts.push(...rows.map(({ row }: { row: string }) => row));
    }
    return parts
      .join('\n')
      .replaceAll(/\\\\x([0-9a-f]+)/g, (_all, hex: string) =>
        Buffer.from(hex, 'hex').toString('latin1'),
      );
  }

  async function walFile(): Promise<string> {
    return (await system.owner.query('SELECT pg_walfile_name(pg_current_wal_lsn()) AS name'))
      .rows[0].name;
  }

  /** From the first that was written to while this went on. */
  async function walFiles(data: string): Promise<string[]> {
    const last = await walFile();
    const { rows } = await system.owner.query(
      'SELECT name FROM pg_ls_waldir() WHERE name BETWEEN $1 AND $2 ORDER BY name',
      [firstWal, last],
    );
    expect(rows[0]?.name).toBe(firstWal);
    return rows.map(({ name }: { name: string }) => join(data, 'pg_wal', name));
  }

  async function makeOperator(): Promise<string> {
    const options = {
      url: system.database.url,
      applicationName: 'test',
      connectionsMax: 1,
      onIdleError: () => {},
    };
    const db = new Db(openPool(options));
    const { key } = await createOperatorKey(
      { db, random: systemRandom },
      { operator: 'Ann', mode: 'test' },
    );
    await db.close();
    return key;
  }
});

describe('the search for them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'payonce-canaries-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('finds one that stands across the end of what is read at once, and says whether it may stand there', async () => {
    const [card, secret] = makeCanaries(1, ['description']) as [Canary, Canary];
    const [before, after] = [card.text.slice(0, 5), card.text.slice(5)];
    writeFileSync(
      join(folder, 'a'),
      Buffer.concat([Buffer.alloc((4 << 20) - 5), Buffer.from(before + after)]),
    );
    writeFileSync(join(folder, 'b'), `x${secret.text}y`);
    const mayHold = ({ kind }: Canary) => kind === 'card';
    expect(await scanFor([card, secret], [{ name: 'here', at: { folder }, mayHold }])).toEqual([
      { place: 'here', input: 'description', kind: 'card', allowed: true },
      { place: 'here', input: 'description', kind: 'secret', allowed: false },
    ]);
  });
});
