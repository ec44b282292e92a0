import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Violation } from '../../ops/checker/books.js';
import { checkBooks } from '../../ops/checker/check.js';
import { INVARIANTS } from '../../ops/checker/invariants.js';
import { BAD_BOOKS, type Bad } from './corpus/bad-books.js';
import { Draft } from './corpus/draft.js';
import { type Good, goodBooks } from './corpus/good-books.js';
import { SABOTAGES } from './corpus/sabotages.js';
import { settle } from './corpus/settled-books.js';

type Check = typeof checkBooks;

describe('the checker of three books', () => {
  let good: Good;
  beforeAll(async () => {
    good = await goodBooks();
  });

  it('finds nothing wrong with a run in which nothing was', () => {
    const found = checkBooks(good.books);
    expect(found.map(({ invariant, says }) => `${invariant} ${says}`)).toEqual([]);
  });

  it('finds nothing wrong where fees of disputes and payouts are booked as the report tells them', () => {
    const draft = new Draft(good);
    settle(draft);
    expect(checkBooks(draft.books)).toEqual([]);
  });

  it.each(BAD_BOOKS)('refuses $name by $by', (bad) => {
    const found = judge(checkBooks, good, bad);
    expect(invariantsOf(found)).toContain(bad.by);
    const proof = found.filter(({ invariant }) => invariant === bad.by);
    expect(proof.every(({ rows }) => rows.length > 0)).toBe(true);
  });

  it('has bad books for every invariant that it checks', () => {
    expect([...new Set(BAD_BOOKS.map(({ by }) => by))].sort()).toEqual(
      Object.keys(INVARIANTS).sort(),
    );
    expect(new Set(BAD_BOOKS.map(({ name }) => name)).size).toBe(BAD_BOOKS.length);
  });

  it('leaves open what was lost: whatever became of it, nobody was told', () => {
    const draft = new Draft(good);
    const { history } = draft.books;
    for (const line of history) if (line.type !== 'invoke') Object.assign(line, LOST);
    expect(checkBooks(draft.books)).toEqual([]);
    draft.books.history = history.filter(({ type }) => type === 'invoke');
    expect(checkBooks(draft.books)).toEqual([]);
  });

  it('excuses of accounts whose clients kept no book that nobody asked, and nothing else', () => {
    const { second, first } = good.accounts;
    const draft = new Draft(good);
    const { books } = draft;
    books.history = books.history.filter(({ account }) => account !== second);
    const found = (unrecorded: string[]) =>
      invariantsOf(checkBooks(books, { quiet: true, unrecorded }));
    expect(found([])).toContain('I4');
    expect(found([second])).toEqual([]);
    draft.forget('charge');
    expect(found([first, second]), 'one that kept a book').toContain('I4');
    const line = books.processor.find(({ metadata }) => metadata['payonce_account'] === second);
    line!.amount += 1;
    expect(found([second])).toContain('I3');
  });

  it('takes 500 for an answer where an error was planted, and nowhere else', () => {
    const draft = new Draft(good);
    const invoke = draft.books.history.find(({ type, key }) => type === 'invoke' && key !== null)!;
    const call = 'beside';
    draft.books.history.push(
      { ...invoke, seq: 1e6, call },
      {
        ...invoke,
        seq: 1e6 + 1,
        call,
        type: 'answer',
        status: 500,
        text: '{"request_id":"req_1"}',
        whole: true,
      },
    );
    const found = (planted: string[]) =>
      invariantsOf(checkBooks(draft.books, { quiet: true, planted }));
    expect(found(['another'])).toEqual(['I23']);
    expect(found([invoke.key!]), 'another request under its key').toEqual(['I23']);
    expect(found(['req_1'])).toEqual([]);
    draft.books.history.at(-1)!.text = JSON.stringify({
      request_id: 'req_1',
      detail: 'Error\n    at file.ts:1:1',
    });
    expect(found(['req_1']), 'our insides').toEqual(['I23']);
  });

  it('knows an answer that was cut in the middle of a letter', () => {
    const draft = new Draft(good);
    const saved = draft.saved('cut');
    const text = Buffer.from(String(saved['body']).slice(2), 'hex').toString();
    const letters = text.replace('"description":null', '"description":"ü"');
    saved['body'] = `\\x${Buffer.from(letters).toString('hex')}`;
    draft.last('cut').text = letters;
    const half = Buffer.from(letters).subarray(0, Buffer.from(letters).indexOf('ü') + 1);
    draft.first('"cut"').text = half.toString();
    const differs = () => checkBooks(draft.books).filter(({ invariant }) => invariant === 'I10');
    expect(differs()).toEqual([]);
    draft.first('"cut"').text = `${half.toString()}{`;
    expect(differs()).toHaveLength(1);
  });

  it('knows a text that a problem masks, and no other one', () => {
    const draft = new Draft(good);
    const { order_id: order } = draft.payment('charge');
    draft.payment('charge')['order_id'] = `${String(order)} sk_test_1234`;
    const read = draft.lastRead('charge');
    const told = () =>
      checkBooks(draft.books).filter(
        ({ says, rows }) => /was told/.test(says) && rows.includes(read),
      );
    expect(told()).toHaveLength(1);
    const text = read.text!;
    read.text = text.replace('"order_id":"1042"', '"order_id":"1042 sk_test_***"');
    expect(told()).toEqual([]);
    read.text = text.replace('"order_id":"1042"', '"order_id":"1043 sk_test_***"');
    expect(told()).toHaveLength(1);
  });

  it('asks for no end of anything before all is quiet', () => {
    const endless = BAD_BOOKS.filter(({ by }) => by === 'L5');
    const found = endless.map((bad) => judge(checkBooks, good, bad, false));
    expect(endless.length).toBeGreaterThan(0);
    expect(found.flatMap(invariantsOf)).not.toContain('L5');
  });

  describe('if it is sabotaged', () => {
    afterEach(() => {
      vi.doUnmock(`../../ops/checker/${last}.js`);
      vi.resetModules();
    });
    let last = '';

    it.each(SABOTAGES)('and $name, is found out by its corpus', async (sabotage) => {
      const { module, instead, alarms = false, missed } = sabotage;
      last = module;
      vi.doMock(`../../ops/checker/${module}.js`, async (original) => {
        const real = await original<object>();
        return { ...real, ...instead(real) };
      });
      vi.resetModules();
      const { checkBooks: blind } = await import('../../ops/checker/check.js');
      expect(blind(good.books).length > 0, 'false alarm').toBe(alarms);
      for (const name of missed) {
        const bad = BAD_BOOKS.find((one) => one.name === name);
        if (bad === undefined) throw new Error(`No bad books are called ${name}`);
        expect(invariantsOf(judge(blind, good, bad)), name).not.toContain(bad.by);
      }
    });
  });
});

const LOST = { type: 'lost', status: undefined, text: undefined, headers: undefined };

function judge(check: Check, good: Good, { spoil, canary }: Bad, quiet = true): Violation[] {
  const draft = new Draft(good);
  spoil(draft);
  return check(draft.books, { quiet, ...(canary && { canaries: [canary] }) });
}

function invariantsOf(found: readonly Violation[]): string[] {
  return found.map(({ invariant }) => invariant);
}
