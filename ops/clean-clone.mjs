// A stranger's first minutes, as a proof: clone, install, start, paste the printed command twice, stop, and find
// nothing left behind. As root it is done a second time as a normal user, whose PostgreSQL runs as itself.
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './build.mjs';

const USAGE = `node ops/clean-clone.mjs

Clones this repository's HEAD into a temporary folder, runs npm ci and npm start there, runs the printed curl
command twice (a charge, then its replay), stops it, and checks that no process is left. As root it does the same
as a normal user. Exits 1 when something does not hold; says why where it skips.`;

const START_LIMIT_MS = 120_000;
const STOP_LIMIT_MS = 30_000;

async function main(args) {
  if (args.includes('--help') || args.includes('-h')) return console.log(USAGE);
  const obstacle = whyNot();
  if (obstacle) return console.log(`Skipped the clean clone: ${obstacle}`);
  if (git(['status', '--porcelain']).stdout.trim()) {
    console.log('Note: there are uncommitted changes, and the clone is of HEAD, without them.');
  }
  await proveAs({ who: 'this user', stopBy: 'Ctrl-C', ids: {} });
  const other = otherUser();
  if (typeof other === 'string') console.log(`Skipped the other user: ${other}`);
  else await proveAs({ who: other.name, stopBy: "SIGTERM to npm's own pid", ids: other.ids });
}

function whyNot() {
  if (process.platform === 'win32') return 'the printed command is for a POSIX shell.';
  if (git(['rev-parse', 'HEAD']).status !== 0)
    return 'this folder is no Git repository with a commit.';
  if (spawnSync('curl', ['--version']).status !== 0) return 'curl is not installed.';
  return null;
}

/** A user with an entry in the user database, as a machine's normal user has. */
function otherUser() {
  if (process.getuid() !== 0)
    return 'only root may run it as somebody else, and this is a normal user already.';
  for (const name of ['nobody', 'postgres']) {
    const id = (flag) => Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout);
    if (id('-u') > 0) return { name, ids: { uid: id('-u'), gid: id('-g') } };
  }
  return 'there is neither a user "nobody" nor a user "postgres".';
}

async function proveAs({ who, stopBy, ids }) {
  const folder = mkdtempSync(join(tmpdir(), 'payonce-clean-'));
  const person = makePerson(folder, ids);
  const started = performance.now();
  const seconds = () => `${((performance.now() - started) / 1000).toFixed(0)} s`;
  let server;
  try {
    run('git', ['clone', '--quiet', '--no-local', root, person.checkout], {
      env: { ...process.env, ...trustRoot() },
    });
    give(person.checkout, ids);
    run('npm', ['ci', '--no-audit', '--no-fund'], person.at);
    console.log(`${who}: installed after ${seconds()}`);
    server = startNpm(person.at);
    const command = await printedCommand(server);
    await chargeAndReplay(command);
    console.log(`${who}: charged and replayed, ${seconds()} after the clone began`);
    await stop(server, stopBy);
    assertNothingRuns(folder);
    console.log(`${who}: stopped by ${stopBy}, nothing left`);
  } finally {
    for (const pid of processesOf(folder)) kill(pid, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A home, a checkout that others cannot enter, and as root a place for the data where the database's user may pass. */
function makePerson(folder, ids) {
  const checkout = join(folder, 'checkout');
  const home = join(folder, 'home');
  mkdirSync(home, { mode: 0o700 });
  chmodSync(folder, 0o711);
  give(home, ids);
  const { PORT: _port, MOCK_PORT: _mockPort, DATABASE_URL: _database, ...env } = process.env;
  const own =
    ids.uid === undefined
      ? {}
      : { HOME: home, npm_config_cache: join(home, '.npm'), ...npmSettings() };
  const data =
    process.getuid() === 0 && ids.uid === undefined ? { PAYONCE_HOME: join(folder, 'data') } : {};
  return {
    checkout,
    at: {
      cwd: checkout,
      env: { ...env, ...own, ...data, ...MARK(folder), PORT: '0', MOCK_PORT: '0' },
      ...ids,
    },
  };
}

/** Every process of this run has the folder in its environment, so that none can hide from the search at the end. */
const MARK = (folder) => ({ PAYONCE_CLEAN_CLONE: folder });

/** Another user has no npm settings of its own: it takes the addresses that work for us. */
function npmSettings() {
  const get = (name) =>
    spawnSync('npm', ['config', 'get', name], { encoding: 'utf8' }).stdout.trim();
  return Object.fromEntries(
    ['registry', 'cafile']
      .map((name) => [`npm_config_${name}`, get(name)])
      .filter(([, value]) => value && value !== 'null'),
  );
}

/** Git refuses to read a repository of another owner, as in a container whose checkout was mounted. */
function trustRoot() {
  return { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' };
}

function give(path, { uid, gid }) {
  if (uid === undefined) return chmodSync(path, 0o700);
  chownSync(path, uid, gid);
  chmodSync(path, 0o700);
  for (const entry of readdirSync(path, { recursive: true }))
    chownSync(join(path, String(entry)), uid, gid);
}

/** npm as a terminal would start it: the leader of a process group of its own. */
function startNpm(options) {
  const child = spawn('npm', ['start'], {
    ...options,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const server = { child, output: '', exited: null, watchers: new Set() };
  const changed = () => server.watchers.forEach((watch) => watch());
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      server.output += chunk;
      changed();
    });
  }
  child.on('close', (code, signal) => {
    server.exited = { code, signal };
    changed();
  });
  return server;
}

/** The whole command as printed: from `curl` on, over every line that a backslash continues. */
async function printedCommand(server) {
  const found = () => server.output.match(/^curl (?:.*\\\n)*.*[^\\]\n/m)?.[0];
  await until(server, START_LIMIT_MS, () => found() !== undefined || server.exited !== null);
  const command = found();
  if (!command) throw new Error(`npm start printed no curl command:\n${server.output}`);
  return command;
}

async function chargeAndReplay(command) {
  const [first, second] = [curl(command), curl(command)];
  if (first.status !== 201)
    throw new Error(`The printed command was answered ${first.status}, not 201:\n${first.text}`);
  if (
    second.status !== 201 ||
    second.body !== first.body ||
    !/^idempotent-replayed: true\r?$/im.test(second.text)
  ) {
    throw new Error(`Its repeat was not replayed:\n${first.text}\n---\n${second.text}`);
  }
}

function curl(command) {
  const text = spawnSync('sh', ['-c', command], { encoding: 'utf8', timeout: 60_000 }).stdout;
  const [head = '', ...body] = text.split('\r\n\r\n');
  return { text, status: Number(head.match(/^HTTP\/\S+ (\d+)/)?.[1]), body: body.join('\r\n\r\n') };
}

/** Ctrl-C reaches the whole group of the terminal; SIGTERM, as from a service manager, npm alone. */
async function stop(server, by) {
  if (by === 'Ctrl-C') process.kill(-server.child.pid, 'SIGINT');
  else server.child.kill('SIGTERM');
  await until(server, STOP_LIMIT_MS, () => server.exited !== null);
  if (server.exited === null)
    throw new Error(`npm start did not stop within ${STOP_LIMIT_MS} ms:\n${server.output}`);
}

function assertNothingRuns(folder) {
  const left = processesOf(folder);
  if (left.length > 0) throw new Error(`Still running after the stop: ${left.join(', ')}`);
}

/** By what a process was started with: its environment, its working directory, its command line. */
function processesOf(folder) {
  if (!existsSync('/proc/self/environ')) {
    const { stdout } = spawnSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' });
    return stdout
      .split('\n')
      .filter((line) => line.includes(folder))
      .map((line) => Number.parseInt(line, 10));
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return ['environ', 'cmdline'].some((file) =>
          readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(folder),
        );
      } catch {
        return false; // it ended meanwhile
      }
    });
}

function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // it ended meanwhile
  }
}

function until(server, limitMs, condition) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      server.watchers.delete(look);
      resolve();
    };
    const look = () => condition() && done();
    const timer = setTimeout(done, limitMs);
    server.watchers.add(look);
    look();
  });
}

function run(command, args, options) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', ...options });
  if (status !== 0)
    throw new Error(`${command} ${args.join(' ')} ended with ${status ?? error?.message}`);
}

function git(args) {
  return spawnSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, ...trustRoot() },
  });
}

await main(process.argv.slice(2)).catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
