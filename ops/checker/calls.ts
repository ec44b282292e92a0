import type { HistoryLine } from './books.js';
import { objectOf } from './json.js';
import { fingerprintOf } from './requests.js';

/** A request and what its client heard of it. Nothing, or a loss: it may have happened, and it may not. */
export class Call {
  heard: HistoryLine | null = null;
  #fingerprint: string | null | undefined;
  #told: Record<string, unknown> | null | undefined;

  constructor(readonly invoke: HistoryLine) {}

  /** What makes it one request with another; read once, however many checks ask. */
  get fingerprint(): string | null {
    return (this.#fingerprint ??= fingerprintOf(this.invoke));
  }

  /** The object in its answer. */
  get told(): Record<string, unknown> | null {
    return (this.#told ??= objectOf(this.heard?.text));
  }
}

/**
 * Every request, also those whose answer was lost: they explain what the processor did, and say nothing of what came
 * of it. Dropping them would make an honest charge look like one that nobody asked for.
 */
export function callsOf(history: readonly HistoryLine[]): Call[] {
  const calls = new Map<string, Call>();
  for (const line of history) {
    if (line.type === 'invoke') calls.set(line.call, new Call(line));
    else {
      const call = calls.get(line.call);
      if (call) call.heard = line;
    }
  }
  return [...calls.values()];
}

/** An answer that came whole; what was cut is only a beginning. */
export function isWhole({ type, whole = true }: HistoryLine): boolean {
  return type === 'answer' && whole;
}
