import type * as Calls from '../../../ops/checker/calls.js';

/** One way to blind the checker: a module of it, what takes its place, and what the corpus must notice of that. */
export type Sabotage = {
  name: string;
  module: string;
  instead: (real: any) => object;
  /** The good books are refused: a false alarm. */
  alarms?: true;
  /** Entries of the corpus that are no longer refused by their invariant. */
  missed: readonly string[];
};

export const SABOTAGES: readonly Sabotage[] = [
  {
    name: 'requests whose answer was lost are dropped',
    module: 'calls',
    instead: ({ callsOf }: typeof Calls) => ({
      callsOf: (history: Parameters<typeof callsOf>[0]) =>
        callsOf(history).filter(({ heard }) => heard !== null && heard.type !== 'lost'),
    }),
    alarms: true,
    missed: ['a cut answer that is not the beginning of the saved one'],
  },
  {
    name: 'a lost answer counts as nothing having happened',
    module: 'calls',
    instead: ({ callsOf }: typeof Calls) => ({
      callsOf: (history: Parameters<typeof callsOf>[0]) =>
        callsOf(history.filter(({ type }) => type !== 'lost')),
    }),
    missed: ['a cut answer with another status than was saved'],
  },
  {
    name: 'a cut answer counts as a whole one',
    module: 'calls',
    instead: () => ({ isWhole: () => true }),
    alarms: true,
    missed: [],
  },
  {
    name: 'the anti-joins are skipped',
    module: 'partners',
    instead: () => ({ withoutPartner: () => [] }),
    missed: [
      'a charge that nobody here knows of',
      'a dispute in the ledger that no bank opened',
      'a charge at the processor under no reference of anybody',
      'a refund at the processor without a row',
    ],
  },
  {
    name: 'amounts are compared as they are printed, without cents',
    module: 'amounts',
    instead: () => ({
      isSameAmount: (one: bigint | null, other: bigint | null) => printed(one) === printed(other),
    }),
    missed: ['a fee of one cent too much', 'an answer of one cent more than is recorded'],
  },
  {
    name: 'amounts in answers are read as JavaScript reads numbers',
    module: 'amounts',
    instead: () => ({
      minorTold: (value: unknown) => BigInt(Number(String(value).replace('\u0000', ''))),
    }),
    missed: [
      'an amount that is answered as a fraction',
      'an amount that is answered in tens',
      'an amount that is answered as a string',
    ],
  },
  ...[
    ['processor', 'checkProcessor', 'a capture made twice'],
    ['processor-keys', 'checkKeys', 'a refund that nobody asked for'],
    ['money', 'checkMoney', 'money moved from the merchant to suspense for nothing'],
    ['entries', 'checkEntries', "two refunds booked with each other's amounts"],
    ['chain', 'checkChain', 'an entry that was changed by a microsecond'],
    ['database', 'checkDatabase', 'a gap in the events of a payment'],
    ['steps', 'checkSteps', 'a refund that was failed and then succeeded'],
    ['evidence', 'checkEvidence', 'a decline recorded over a success'],
    ['answers', 'checkAnswers', 'a replay in other bytes'],
    ['told', 'checkTold', 'a payment that was told and then not found'],
    ['saved', 'checkSaved', 'an event that tells of another amount'],
    ['ties', 'checkTies', 'a fee booked for no payment'],
    ['tenants', 'checkTenants', 'an attempt under another account'],
    ['secrets', 'checkSecrets', 'a secret that went to the processor'],
    ['quiet', 'checkQuiet', 'an event that nobody has applied'],
  ].map(([module = '', check = '', missed = '']) => ({
    name: `${check} is left out`,
    module,
    instead: () => ({ [check]: () => [] }),
    missed: [missed],
  })),
];

/** 25.00 and 25.01 are both 25. */
function printed(amount: bigint | null): string {
  return amount === null ? '' : (Number(amount) / 100).toFixed(0);
}
