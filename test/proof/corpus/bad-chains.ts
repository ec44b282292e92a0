import type { Bad } from './bad-books.js';

/** Entries that were touched after they had been linked, by somebody who can do anything. */
export const BAD_CHAINS: readonly Bad[] = [
  {
    name: 'an entry that was changed by a microsecond',
    by: 'I18',
    spoil: (draft) => {
      const entry = draft.entry('charge', 'charge');
      entry['recorded_at'] = String(entry['recorded_at']).replace(
        /(\.\d+)?([+-]\d\d:\d\d)$/,
        '.000001$2',
      );
    },
  },
  {
    name: 'a link that is gone',
    by: 'I18',
    spoil: (draft) =>
      draft.drop(
        'ledger_chain',
        draft.row('ledger_chain', () => true),
      ),
  },
  {
    name: 'a link of another entry',
    by: 'I18',
    spoil: (draft) => {
      const link = draft.row('ledger_chain', (row) => row['number'] === 1);
      const other = draft.row('ledger_chain', (row) => row['number'] === 2);
      link['entry_id'] = other['entry_id'];
    },
  },
  {
    name: 'an entry that was put among those that are linked',
    by: 'I18',
    spoil: (draft) =>
      draft.add('ledger_entries', {
        ...draft.entry('charge', 'charge'),
        id: '00000000-0000-7000-8000-000000000000',
      }),
  },
  {
    name: 'a chain that was written anew from its end',
    by: 'I18',
    spoil: (draft) => {
      const checkpoint = draft.row('ledger_checkpoints', () => true);
      checkpoint['hash'] = `\\x${'00'.repeat(32)}`;
    },
  },
];
