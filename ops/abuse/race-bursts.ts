import { BURSTS, type BurstName } from './bursts.js';
import type { Booked, Raced, Verdict } from './burst-parts.js';
import { Dice } from './dice.js';
import { StartLine } from './start-line.js';

export type RaceBursts = {
  url: string;
  /** Of an account that may read and write. */
  key: string;
  /** Where the mock processor listens: its book says what money moved. */
  mockUrl: string;
  seed: number;
  count: number;
  /** Requests of one burst, each on a connection of its own. */
  wide?: number;
  onProgress?: (bursts: number) => void;
  signal?: AbortSignal;
};

export type RaceBurstsResult = {
  bursts: number;
  kinds: Record<string, number>;
  statuses: Record<string, number>;
  findings: { says: string; burst: string; answers: string[] }[];
};

/**
 * Requests that contradict or repeat one another, held back at their last byte on as many connections, then released
 * together. However many there are, there must be exactly one effect: by their answers, by what the API tells
 * afterwards, and by the processor's book.
 */
export async function runRaceBursts(options: RaceBursts): Promise<RaceBurstsResult> {
  const { url, key, mockUrl, seed, count, wide = WIDE, onProgress, signal } = options;
  const result: RaceBurstsResult = { bursts: 0, kinds: {}, statuses: {}, findings: [] };
  const line = await StartLine.open(url, key, wide);
  const later: { name: string; raced: Raced[]; ofBook: Verdict['ofBook'] }[] = [];
  const find = (says: string[], burst: string, raced: readonly Raced[]) => {
    if (says.length === 0) return;
    const answers = raced.map(({ racer, answer }) => `${racer.path}\n${answer.raw}`);
    result.findings.push({ says: says.join('; '), burst, answers });
  };
  try {
    const before = (await readBook(mockUrl)).length;
    const firstAmount = AMOUNT_MIN + new Dice(seed).below(AMOUNT_SPREAD);
    for (let at = 0; at < count && !signal?.aborted; at++) {
      const name = NAMES[at % NAMES.length]!;
      const dice = Dice.ofOne(seed, at);
      const amount = firstAmount + at * 2;
      const burst = await BURSTS[name]({ wide, dice, amount, ask: line.ask });
      const raced = await line.release(burst.racers);
      for (const { answer } of raced) add(result.statuses, String(answer.status));
      const { says, ofBook } = await burst.judge(raced);
      find(says, `${name} ${at}`, raced);
      later.push({ name: `${name} ${at}`, raced: raced.slice(0, SHOWN), ofBook });
      result.bursts += 1;
      add(result.kinds, name);
      onProgress?.(result.bursts);
    }
    const book = (await readBook(mockUrl)).slice(before);
    for (const { name, raced, ofBook } of later) find(ofBook(book), name, raced);
  } finally {
    line.close();
  }
  return result;
}

const WIDE = 50;
const SHOWN = 5;
const NAMES = Object.keys(BURSTS) as BurstName[];
/** Far from what others charge, with room for every burst of a long run. */
const AMOUNT_MIN = 10_000_000;
const AMOUNT_SPREAD = 40_000_000;

async function readBook(mockUrl: string): Promise<Booked[]> {
  const text = await (await fetch(`${mockUrl}/_control/book`)).text();
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Booked);
}

function add(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
