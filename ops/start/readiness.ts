import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 50;
const ANSWER_WITHIN_MS = 2_000;

/** Resolves when the address answers 200. */
export async function untilAnswers(url: string, stopping: AbortSignal): Promise<void> {
  while (!(await answers(url))) await pause(POLL_MS, undefined, { signal: stopping });
}

async function answers(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    await answer.body?.cancel();
    return answer.status === 200;
  } catch {
    return false;
  }
}

/** Resolves when somebody listens at the address. */
export async function untilListens(url: string, stopping: AbortSignal): Promise<void> {
  const { hostname, port } = new URL(url);
  while (!(await listens(hostname, Number(port)))) {
    await pause(POLL_MS, undefined, { signal: stopping });
  }
}

function listens(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: ANSWER_WITHIN_MS });
    const end = (listening: boolean) => {
      socket.destroy();
      resolve(listening);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });
}
