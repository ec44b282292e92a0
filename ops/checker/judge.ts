import { minor } from './amounts.js';
import { type Books, type Violation, readBooks } from './books.js';
import { callsOf } from './calls.js';
import { checkBooks } from './check.js';
import { INVARIANTS } from './invariants.js';
import { type Terms, readTerms } from './terms.js';

export type Verdict = { violations: Violation[]; counts: Counts; terms: Terms };
export type Counts = {
  requests: number;
  /** Answered in full; the others were lost, cut or never answered. */
  answered: number;
  payments: number;
  ledger_entries: number;
  processor_lines: number;
  /** Charged and captured at the processor, in minor units of each currency. */
  charged: Record<string, string>;
};

/** Judges the three files of a folder. Throws where one is missing, or is not what it should be. */
export async function judgeFolder(folder: string): Promise<Verdict> {
  return judgeBooks(await readBooks(folder), readTerms(folder));
}

export function judgeBooks(books: Books, terms: Terms = { quiet: true }): Verdict {
  return { violations: checkBooks(books, terms), counts: countsOf(books), terms };
}

function countsOf({ history, database, processor }: Books): Counts {
  const calls = callsOf(history);
  const charged = new Map<string, bigint>();
  for (const { operation, currency, amount } of processor) {
    if (operation !== 'charge' && operation !== 'capture') continue;
    charged.set(currency, (charged.get(currency) ?? 0n) + (minor(amount) ?? 0n));
  }
  return {
    requests: calls.length,
    answered: calls.filter(({ heard }) => heard?.type === 'answer').length,
    payments: database['payments']?.length ?? 0,
    ledger_entries: database['ledger_entries']?.length ?? 0,
    processor_lines: processor.length,
    charged: Object.fromEntries([...charged].map(([currency, sum]) => [currency, `${sum}`])),
  };
}

const SHOWN_MAX = 3;
const ROW_LENGTH_MAX = 400;

/** The verdict in words, for somebody who knows nothing of the run. */
export function describeVerdict({ violations, counts, terms }: Verdict): string {
  const compared = [describeCounts(counts), ...describeTerms(terms)].join('\n');
  if (violations.length === 0) {
    return `HELD. Three books agree to the cent.\n${compared}\n`;
  }
  const groups = Object.entries(INVARIANTS).map(([name, means]) => {
    const broken = violations.filter(({ invariant }) => invariant === name);
    return broken.length === 0 ? '' : describeBroken(name, means, broken);
  });
  const times = violations.length === 1 ? 'once' : `${violations.length} times`;
  return `VIOLATED ${times}. The books do not agree.\n${compared}\n${groups.join('')}`;
}

function describeCounts(counts: Counts): string {
  const sums = Object.entries(counts.charged).map(([currency, sum]) => `${sum} ${currency}`);
  return [
    `  clients      ${counts.requests} requests, ${counts.answered} of them answered in full`,
    `  database     ${counts.payments} payments, ${counts.ledger_entries} ledger entries`,
    `  processor    ${counts.processor_lines} lines; charged, in minor units: ${sums.join(', ') || 'nothing'}`,
  ].join('\n');
}

/** What was not asked of them: a verdict under easy terms is to say so. */
function describeTerms({ quiet, unrecorded = [], planted = [] }: Terms): string[] {
  const count = unrecorded.length;
  return [
    ...(quiet
      ? []
      : ['  not asked    that all has come to its end: something was still under way']),
    ...(count > 0
      ? [`  not asked    who wanted what ${count} accounts paid: their clients kept no book`]
      : []),
    ...(planted.length > 0
      ? [
          `  not asked    for another answer than 500 to ${planted.length} requests: an error was planted there`,
        ]
      : []),
  ];
}

function describeBroken(name: string, means: string, broken: readonly Violation[]): string {
  const shown = broken.slice(0, SHOWN_MAX).map(({ says, rows }) => {
    const proof = rows.map((row) => `      ${shortened(JSON.stringify(row))}\n`);
    return `    ${says}\n${proof.join('')}`;
  });
  const more = broken.length - SHOWN_MAX;
  const rest = more > 0 ? `    and ${more} more\n` : '';
  return `\n${name}: it does not hold that ${means}\n${shown.join('')}${rest}`;
}

function shortened(text: string): string {
  return text.length <= ROW_LENGTH_MAX ? text : `${text.slice(0, ROW_LENGTH_MAX)} …`;
}
