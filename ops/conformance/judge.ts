import type { Call } from './adapter.js';
import type { Bench, Intent, Options } from './bench.js';
import { Red } from './check.js';
import type { Answer } from './wire.js';

export function isTaken({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

export function isRefused({ status }: Answer): boolean {
  return status >= 400 && status < 500;
}

export function taken(answer: Answer): Answer {
  if (!isTaken(answer)) throw new Red(`status ${answer.status}, where success (2xx) is right`);
  return answer;
}

export function refused(answer: Answer): Answer {
  if (!isRefused(answer)) throw new Red(`status ${answer.status}, where a refusal (4xx) is right`);
  return answer;
}

export function replayOf(first: Answer, again: Answer): void {
  if (again.status !== first.status)
    throw new Red(`status ${again.status}, where the first answer's ${first.status} is right`);
  if (!again.bytes.equals(first.bytes)) throw new Red("another body than the first answer's");
}

export type Paid = { intent: Intent; call: Call; first: Answer };

/** One request that is taken and done: where most checks start. */
export async function paid(bench: Bench, options: Options = {}): Promise<Paid> {
  const intent = bench.intent();
  const call = bench.adapter.create(intent.marker);
  const first = taken(await bench.retried(call, intent.key, options));
  return { intent, call, first };
}
