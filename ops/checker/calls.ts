import type { HistoryLine } from './books.js';

/** A request and what its client heard of it. Nothing, or a loss: it may have happened, and it may not. */
export type Call = { invoke: HistoryLine; heard: HistoryLine | null };

/**
 * Every request, also those whose answer was lost: they explain what the processor did, and say nothing of what came
 * of it. Dropping them would make an honest charge look like one that nobody asked for.
 */
export function callsOf(history: readonly HistoryLine[]): Call[] {
  const calls = new Map<string, Call>();
  for (const line of history) {
    if (line.type === 'invoke') calls.set(line.call, { invoke: line, heard: null });
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
