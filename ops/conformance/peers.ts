import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { settled, type Adapter, type SettledAdapter } from './adapter.js';
import type { Target } from './bench.js';
import { example } from './example.js';
import { CouldNotRun, runChecks, type Run } from './run-checks.js';

export type Peer = {
  /** From the root of the checkout; its folder has the package.json and the lock file. */
  server: string;
  package: string;
  home: string;
  /** How it is used here, so that a reader can object. */
  used: string;
  adapter: Adapter;
};

export const PEERS: Peer[] = [
  {
    server: 'ops/conformance/peers/node-idempotency/server.mjs',
    package: '@node-idempotency/nestjs',
    home: 'https://github.com/mahendraHegde/node-idempotency',
    used: 'on NestJS 10 with Express, by its README: the module with the memory adapter, `@Idempotent()` on the handlers that move money, and `enforceIdempotency`, which is off by default',
    adapter: { ...example, name: '@node-idempotency/nestjs', keyLengthMax: 256 },
  },
  {
    server: 'ops/conformance/peers/express-idempotency/server.mjs',
    package: 'express-idempotency',
    home: 'https://github.com/VilledeMontreal/express-idempotency',
    used: 'on Express 4, by its README: the middleware with its defaults in front of every POST, `isHit` and `reportError` in the handlers, and its store in memory, which its README does not recommend for production. One process uses it here, so that no red below is about the store',
    adapter: { ...example, name: 'express-idempotency', replayHeader: null },
  },
];

/** Named wherever such libraries are compared, and not here: the registry did not have them. */
export const ABSENT = ['stripe-mock', '@nestarc/idempotency', 'idempot-js'];

export type PeerRun = { peer: Peer; adapter: SettledAdapter; run: Run };

/** Installs each peer into a temporary folder, starts it and runs every check against it. */
export async function runPeers(
  limits: Pick<Target, 'patienceMs' | 'settleMs' | 'processes'>,
  tell: (line: string) => void,
  stopped: AbortSignal,
): Promise<PeerRun[]> {
  const folder = mkdtempSync(join(tmpdir(), 'payonce-peers-'));
  try {
    cpSync(join(checkout(), 'ops/conformance/peers'), folder, { recursive: true });
    const runs: PeerRun[] = [];
    for (const peer of PEERS) {
      const home = join(folder, basename(folderOf(peer)));
      const adapter = settled(peer.adapter);
      tell(`${peer.package} ${versionOf(peer)}: npm ci`);
      await install(home, stopped);
      const server = await PeerServer.start(home, stopped);
      try {
        tell(`${peer.package} at ${server.url}`);
        const target = { ...limits, url: server.url, adapter, keys: await credentials(folder) };
        const run = await runChecks(target, (phase) => tell(`  ${phase}`));
        runs.push({ peer, adapter, run: { ...run, version: versionOf(peer) } });
      } finally {
        server.stop();
      }
    }
    return runs;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The version that the peer's lock file pins. */
export function versionOf(peer: Peer): string {
  const { package: name } = peer;
  const file = join(checkout(), folderOf(peer), 'package-lock.json');
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as {
    packages: Record<string, { version: string } | undefined>;
  };
  const version = packages[`node_modules/${name}`]?.version;
  if (version === undefined) throw new CouldNotRun(`${file} does not hold ${name}`);
  return version;
}

export function folderOf({ server }: Peer): string {
  return dirname(server);
}

/** From the sources and from a build alike, whose folders stand at another depth. */
function checkout(): string {
  const found = ['../..', '../../..']
    .map((up) => fileURLToPath(new URL(up, import.meta.url)))
    .find((folder) => existsSync(join(folder, 'ops/conformance/peers/payments.mjs')));
  if (found === undefined) throw new CouldNotRun('The folder of the peers is not there');
  return found;
}

async function credentials(folder: string): Promise<Target['keys']> {
  const { CREDENTIALS } = (await import(pathToFileURL(join(folder, 'payments.mjs')).href)) as {
    CREDENTIALS: { key: string; other: string; rotated: string };
  };
  const { key, other, rotated } = CREDENTIALS;
  return { key, otherKey: other, rotatedKey: rotated };
}

/** By the npm that runs this command, with the settings of its user; only the lock file decides what comes. */
async function install(cwd: string, signal: AbortSignal): Promise<void> {
  const npm = process.env['npm_execpath'];
  const [command, before] = npm === undefined ? ['npm', []] : [process.execPath, [npm]];
  const args = [...before, 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
  const child = spawn(command, args, { cwd, signal, stdio: ['ignore', 2, 2] });
  const code = await new Promise((resolve, reject) =>
    child.once('close', resolve).once('error', reject),
  );
  if (code !== 0) throw new CouldNotRun(`npm ci in ${cwd} ended with ${String(code)}`);
}

class PeerServer {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  /** It ends with this process, however that one ends: the channel between them closes. */
  static start(cwd: string, signal: AbortSignal): Promise<PeerServer> {
    const child = spawn(process.execPath, ['server.mjs'], {
      cwd,
      signal,
      env: { ...process.env, NODE_ENV: 'production' },
      stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
    });
    const { stdout } = child;
    if (stdout === null) throw new Error('Bug: the server was given no output');
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.once('exit', (code) =>
        reject(new CouldNotRun(`The server in ${cwd} ended with ${code}`)),
      );
      createInterface({ input: stdout }).on('line', (line) => {
        const port = /^listening (\d+)$/.exec(line)?.[1];
        if (port) resolve(new PeerServer(child, `http://127.0.0.1:${port}`));
      });
    });
  }

  stop(): void {
    this.child.kill('SIGKILL');
  }
}
