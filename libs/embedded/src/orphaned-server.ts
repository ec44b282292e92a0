import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Stops a server that still runs on this data although its supervisor is gone (both were to be
 * killed, and one survived). PostgreSQL itself clears a pid file whose process is gone, but refuses
 * to start beside one that lives, also when the number now belongs to a stranger of its own user.
 */
export async function stopOrphanedServer(data: string, log: (line: string) => void): Promise<void> {
  const pid = serverPid(data);
  if (pid === undefined) return;
  log(`Stopping the PostgreSQL server (pid ${pid}) that an earlier run left behind`);
  const steps = [
    { signal: 'SIGINT', waitMs: 20_000 },
    { signal: 'SIGQUIT', waitMs: 5_000 },
    { signal: 'SIGKILL', waitMs: 5_000 },
  ] as const;
  for (const { signal, waitMs } of steps) {
    send(pid, signal);
    const deadline = performance.now() + waitMs;
    while (performance.now() < deadline) {
      if (serverPid(data) !== pid) return;
      await pause(20);
    }
  }
  throw new Error(`The PostgreSQL server (pid ${pid}) on ${data} cannot be stopped.`);
}

/** The live server that owns the data folder, if there is one. */
function serverPid(data: string): number | undefined {
  const file = join(data, 'postmaster.pid');
  if (!existsSync(file)) return undefined;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  if (!Number.isInteger(pid) || pid <= 1) return undefined;
  return commandLine(pid)?.includes(data) ? pid : undefined;
}

function commandLine(pid: number): string | undefined {
  try {
    if (existsSync('/proc/self/cmdline')) return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return undefined;
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended in this instant; the caller looks again.
  }
}
