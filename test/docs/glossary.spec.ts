import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ENTRY_KINDS, LEDGER_ACCOUNTS } from '#ledger/entry-kinds.js';

const GLOSSARY = readFileSync(join(import.meta.dirname, '../../docs/glossary.md'), 'utf8');

describe('the glossary', () => {
  it('has the kinds of ledger entry that the code has, with their two accounts', () => {
    const rows = tableOf('entry-kinds').map(([kind, debit, credit]) => [kind, { debit, credit }]);
    expect(Object.fromEntries(rows)).toEqual(ENTRY_KINDS);
  });

  it('has the accounts of the chart that the code has, with their types', () => {
    const rows = tableOf('accounts').map(([account, type]) => [account, type]);
    expect(Object.fromEntries(rows)).toEqual(LEDGER_ACCOUNTS);
  });

  it('explains each word once', () => {
    const words = [...GLOSSARY.matchAll(/^\| \*\*(.+?)\*\* \|/gm)].map(([, word]) => word);
    expect(words.length).toBeGreaterThan(30);
    expect(words).toEqual([...new Set(words)]);
  });
});

/** The cells of each row, without the head and without code marks. */
function tableOf(name: string): string[][] {
  const text = GLOSSARY.split(`<!-- ${name}:start -->`)[1]?.split(`<!-- ${name}:end -->`)[0] ?? '';
  return text
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    );
}
