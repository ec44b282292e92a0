import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** POST /v1/payments, if no other path is named. */
export type RacedRequest = { key: string; body: string; path?: string };
export type RacedAnswer = { status: number; replayed: boolean; text: string };

type Message = { kind: 'ready' } | { kind: 'answers'; answers: RacedAnswer[] };

/** Sends these requests from several processes, held back until all are on their way, then released together. */
export async function race(
  { url, apiKey }: { url: string; apiKey: string },
  requests: RacedRequest[],
  processes: number,
): Promise<RacedAnswer[]> {
  const racers = Array.from({ length: processes }, (_, nth) => {
    const child = fork(join(import.meta.dirname, 'racing-client.mjs'), { execArgv: [] });
    const own = requests.filter((_request, at) => at % processes === nth);
    child.send({ kind: 'prepare', url, apiKey, requests: own });
    return { child, ready: said(child, 'ready'), answers: said(child, 'answers') };
  });
  try {
    await Promise.all(racers.map(({ ready }) => ready));
    for (const { child } of racers) child.send({ kind: 'go' });
    const answers = await Promise.all(racers.map((racer) => racer.answers));
    return answers.flatMap((message) => (message.kind === 'answers' ? message.answers : []));
  } finally {
    for (const { child } of racers) child.kill();
  }
}

async function said(child: ChildProcess, kind: Message['kind']): Promise<Message> {
  for (;;) {
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`a racing client ended with ${code}`);
    });
    const [message] = (await Promise.race([once(child, 'message'), ended])) as [Message];
    if (message.kind === kind) return message;
  }
}
