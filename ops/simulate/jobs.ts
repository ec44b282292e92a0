import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Share, Tally } from './job.js';

/** A share that runs in a process of its own. */
export function forkShare(
  share: Share,
  tell: (tally: Tally) => void,
  stopped: AbortSignal,
): Promise<Tally | null> {
  const child: ChildProcess = fork(fileURLToPath(new URL('./job-process.js', import.meta.url)), {
    // Ctrl-C reaches the whole foreground group: the parent alone decides what it means.
    detached: true,
  });
  stopped.addEventListener('abort', () => child.connected && child.disconnect(), { once: true });
  return new Promise((resolve, reject) => {
    let last: Tally | null = null;
    child.on('message', (tally: Tally) => tell((last = tally)));
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0 || stopped.aborted) resolve(last);
      else reject(new Error(`A job of the simulation ended with exit status ${code}`));
    });
    child.send(share);
  });
}
