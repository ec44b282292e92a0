import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { type Socket, connect } from 'node:net';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { checkoutRoot } from '#embedded/home.js';
import { ProcessSystem } from '#testing/process-system.js';
import { Processes, type ServiceProcess } from '#testing/processes.js';
import { disagreements, readBooks } from '#testing/three-books.js';
import { until } from '#testing/until.js';

const DESCRIPTORS = 80;
/** Linux has the command and the folder; elsewhere the test says that it was not run. */
const CAN_LIMIT = existsSync('/proc/self/fd') && spawnSync('prlimit', ['--version']).status === 0;
const WHY_NOT = CAN_LIMIT ? '' : ' (skipped: this system has no prlimit)';

describe('an API process', () => {
  const victims = new Processes();
  let system: ProcessSystem;
  let child: ChildProcess | undefined;
  beforeAll(async () => {
    system = await ProcessSystem.start();
    execFileSync(process.execPath, ['ops/build.mjs'], { cwd: checkoutRoot(), stdio: 'ignore' });
  });
  afterEach(async () => {
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await victims.endAll();
  });
  afterAll(() => system?.close());

  it('whose log nobody takes any more goes on paying', async () => {
    const api = await spawnApi();
    child!.stdout!.destroy();
    child!.stderr!.destroy();
    await expectPays(api, 5);
    expect(child!.exitCode).toBeNull();
  });

  it.skipIf(!CAN_LIMIT)(
    `that has no file descriptor left survives, and pays again${WHY_NOT}`,
    async () => {
      const api = await spawnApi();
      await expectPays(api, 1);
      execFileSync('prlimit', [`--nofile=${DESCRIPTORS}`, '--pid', String(child!.pid)]);
      const sockets = await Promise.all(
        Array.from({ length: 2 * DESCRIPTORS }, () => openSocket(Number(new URL(api.url).port))),
      );
      await untilNoneIsLeft();
      for (const socket of sockets) socket.destroy();
      await until(async () => (await system.get(api, '/health/ready')).status === 200);
      await expectPays(api, 3);
      expect(child!.exitCode).toBeNull();
    },
  );

  it('whose event loop stands still for as long as its processor may take charges once', async () => {
    const api = await system.api(victims, 'c3:2:block=5000');
    await expectPays(api, 1);
    await expectPays(api, 1);
  });

  type At = ServiceProcess;

  async function expectPays(api: At, count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      const key = randomUUID();
      const answer = await system.pay(api, key, { order_id: key });
      expect(answer.status, answer.text).toBe(201);
      expect(disagreements(await readBooks(system, key), [answer])).toEqual([]);
    }
  }

  async function spawnApi(): Promise<At> {
    child = spawn(process.execPath, ['dist-demo/apps/payments-api/src/main.js'], {
      cwd: checkoutRoot(),
      env: {
        PATH: process.env['PATH'],
        APP_DATABASE_URL: system.database.appUrl,
        STRIPE_API_BASE: system.mockClient.url,
        PORT: '0',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for await (const line of createInterface({ input: child.stdout! })) {
      const { event, port } = JSON.parse(line);
      if (event === 'listening') return { url: `http://127.0.0.1:${port}` } as At;
    }
    throw new Error('The API ended before it listened');
  }

  /** The process has opened all that it may. */
  function untilNoneIsLeft(): Promise<void> {
    const list = `/proc/${child!.pid}/fd`;
    return until(() => Promise.resolve(readdirSync(list).length >= DESCRIPTORS - 1));
  }
});

function openSocket(port: number): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.on('error', () => resolve(socket));
  });
}
