import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '#seams/random.js';
import { processIdentity } from './process-identity.js';

/** Another process has the folder. */
export class AlreadyRunning extends Error {
  constructor(readonly pid: number) {
    super(`Payonce already runs from this checkout (pid ${pid}).`);
  }
}

interface Claim {
  identity: string;
  held: boolean;
}

const TRIES_MAX = 50;

/**
 * Makes this process the only one that works in the folder, or throws `AlreadyRunning`. Returns how to
 * give it up; a killed process gives it up by being dead.
 *
 * Node has no file locks, and a lock file alone cannot be taken over safely when its owner was killed.
 * So each process writes a claim of its own and then reads all others: of two that come at the same
 * time at least the later reader sees the other, and whoever sees another that is also still trying
 * steps back and tries again after a random pause. A claim counts while its process lives.
 */
export async function takeRun(home: string, random: Random): Promise<() => void> {
  const folder = join(home, 'claims');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const own = join(folder, String(process.pid));
  const release = () => rmSync(own, { force: true });
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    write(own, false);
    const others = liveClaims(folder).filter(({ pid }) => pid !== process.pid);
    const holder = others.find(({ held }) => held);
    if (others.length === 0) {
      write(own, true);
      return release;
    }
    release();
    if (holder) throw new AlreadyRunning(holder.pid);
    await pause(20 + 200 * random.unit());
  }
  throw new Error(`${folder} is claimed again and again by processes that do not start.`);
}

/** The process that works in the folder now, if one does. */
export function runHolder(home: string): number | undefined {
  return liveClaims(join(home, 'claims')).find(({ held }) => held)?.pid;
}

function write(file: string, held: boolean): void {
  const claim: Claim = { identity: processIdentity(process.pid) ?? '', held };
  const aside = `${file}.new`;
  writeFileSync(aside, JSON.stringify(claim), { mode: 0o600 });
  renameSync(aside, file); // never half a claim under the name that others read
}

function liveClaims(folder: string): (Claim & { pid: number })[] {
  return names(folder).flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid)) return [];
    const claim = read(join(folder, name));
    if (claim && claim.identity === processIdentity(pid)) return [{ ...claim, pid }];
    if (claim) rmSync(join(folder, name), { force: true });
    return [];
  });
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(file: string): Claim | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Claim;
  } catch {
    return undefined; // given up between listing and reading
  }
}
