import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Books, type HistoryLine, readBooks, writeBooks } from '../../ops/checker/books.js';
import { describeVerdict, judgeFolder } from '../../ops/checker/judge.js';
import { writeTerms } from '../../ops/checker/terms.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'payonce-books-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('stored books', () => {
  it('are read as they were written', async () => {
    const books = manyBooks(3);
    books.database = { payments: [{ id: 'a', amount: 1 }], accounts: [{ id: 'b' }] };
    await writeBooks(folder, books);
    expect(await readBooks(folder)).toEqual(books);
  });

  it('are judged again: held, in words', async () => {
    await writeBooks(folder, manyBooks(3));
    const verdict = await judgeFolder(folder);
    expect(verdict.violations).toEqual([]);
    expect(describeVerdict(verdict)).toMatchInlineSnapshot(`
      "HELD. Three books agree to the cent.
        clients      3 requests, 3 of them answered in full
        database     0 payments, 0 ledger entries
        processor    0 lines; charged, in minor units: nothing
      "
    `);
  });

  it('are judged again: violated, with what proves it', async () => {
    const books = manyBooks(5);
    for (const line of books.history) if (line.status === 503) line.status = 500;
    books.processor.push(CHARGE);
    await writeBooks(folder, books);
    expect(describeVerdict(await judgeFolder(folder))).toMatchInlineSnapshot(`
      "VIOLATED 9 times. The books do not agree.
        clients      5 requests, 5 of them answered in full
        database     0 payments, 0 ledger entries
        processor    1 lines; charged, in minor units: 2500 myr

      I2: it does not hold that all that the processor did is recorded here
          nobody here knows of pi_1
            {"seq":1,"at":"2026-01-02T03:04:05.000Z","operation":"charge","idempotency_key":"b3f1a0de-0000-8000-8000-000000000000","id":"pi_1","parent":null,"amount":2500,"currency":"myr","status":"succeeded","metadata":{"payonce_intent":"b3f1a0de-0000-8000-8000-000000000000"}}

      I3: it does not hold that client, payment, ledger and processor agree to the cent
          in all, 0 myr in the ledger, 2500 at the processor
            {"currency":"myr","ledger":"0","processor":"2500"}

      I4: it does not hold that nothing is booked or charged that was not done and asked for
          nobody asked for charge pi_1
            {"seq":1,"at":"2026-01-02T03:04:05.000Z","operation":"charge","idempotency_key":"b3f1a0de-0000-8000-8000-000000000000","id":"pi_1","parent":null,"amount":2500,"currency":"myr","status":"succeeded","metadata":{"payonce_intent":"b3f1a0de-0000-8000-8000-000000000000"}}

      I9: it does not hold that one key at the processor for each operation, derived from what was asked
          sent under a key that no operation has: pi_1
            {"seq":1,"at":"2026-01-02T03:04:05.000Z","operation":"charge","idempotency_key":"b3f1a0de-0000-8000-8000-000000000000","id":"pi_1","parent":null,"amount":2500,"currency":"myr","status":"succeeded","metadata":{"payonce_intent":"b3f1a0de-0000-8000-8000-000000000000"}}

      I23: it does not hold that no error of ours reaches a client
          POST /v1/payments was answered 500
            {"at":1767322000000,"call":"c0","client":"one","account":"01a23565-fb1b-75b8-9ac7-43fc7624d6d8","method":"POST","path":"/v1/payments","key":"key-0","body":"{\\"amount\\":2500,\\"currency\\":\\"myr\\",\\"payment_method\\":\\"pm_123\\"}","seq":2,"type":"answer","status":500,"text":"{\\"code\\":\\"overloaded\\",\\"request_id\\":\\"01a23565-fb1b-75b8-9ac7-000000000000\\"}","headers":{"retry_after":"1"}}
          POST /v1/payments was answered 500
            {"at":1767322000001,"call":"c1","client":"one","account":"01a23565-fb1b-75b8-9ac7-43fc7624d6d8","method":"POST","path":"/v1/payments","key":"key-1","body":"{\\"amount\\":2500,\\"currency\\":\\"myr\\",\\"payment_method\\":\\"pm_123\\"}","seq":4,"type":"answer","status":500,"text":"{\\"code\\":\\"overloaded\\",\\"request_id\\":\\"01a23565-fb1b-75b8-9ac7-000000000001\\"}","headers":{"retry_after":"1"}}
          POST /v1/payments was answered 500
            {"at":1767322000002,"call":"c2","client":"one","account":"01a23565-fb1b-75b8-9ac7-43fc7624d6d8","method":"POST","path":"/v1/payments","key":"key-2","body":"{\\"amount\\":2500,\\"currency\\":\\"myr\\",\\"payment_method\\":\\"pm_123\\"}","seq":6,"type":"answer","status":500,"text":"{\\"code\\":\\"overloaded\\",\\"request_id\\":\\"01a23565-fb1b-75b8-9ac7-000000000002\\"}","headers":{"retry_after":"1"}}
          and 2 more
      "
    `);
  });

  it('are judged again under the terms that they were judged under', async () => {
    const books = manyBooks(1);
    books.processor.push({ ...CHARGE, metadata: { ...CHARGE.metadata, payonce_account: 'x' } });
    await writeBooks(folder, books);
    const kinds = async () =>
      (await judgeFolder(folder)).violations.map(({ invariant }) => invariant);
    expect(await kinds()).toContain('I4');
    writeTerms(folder, { quiet: true, unrecorded: ['x'] });
    expect(await kinds()).not.toContain('I4');
    expect(await kinds()).toContain('I2');
  });

  it.each(['h.jsonl', 'd.jsonl', 'p.jsonl'])('cannot be judged without %s', async (name) => {
    await writeBooks(folder, manyBooks(1));
    rmSync(join(folder, name));
    await expect(judgeFolder(folder)).rejects.toThrow(name);
  });

  it('say so if they were judged under easy terms', async () => {
    await writeBooks(folder, manyBooks(1));
    writeTerms(folder, { quiet: false, unrecorded: ['x', 'y'], planted: ['k'] });
    expect(
      describeVerdict(await judgeFolder(folder))
        .split('\n')
        .slice(4),
    ).toEqual([
      '  not asked    that all has come to its end: something was still under way',
      '  not asked    who wanted what 2 accounts paid: their clients kept no book',
      '  not asked    for another answer than 500 to 1 requests: an error was planted there',
      '',
    ]);
  });

  it.each([
    ['no request', () => [], 'holds no request'],
    ['an answer to nothing', (lines: HistoryLine[]) => lines.slice(1), 'answered, never asked'],
    ['two answers to one request', twice, 'answered, never asked'],
    [
      'lines out of order',
      (lines: HistoryLine[]) => lines.toSpliced(1, 2, lines[2]!, lines[1]!),
      'comes after',
    ],
  ])('cannot be judged with %s in them', async (_, spoil, says) => {
    const books = manyBooks(2);
    await writeBooks(folder, { ...books, history: spoil(books.history) });
    await expect(judgeFolder(folder)).rejects.toThrow(says);
  });

  it('cannot be judged where a line is torn, which is named', async () => {
    await writeBooks(folder, manyBooks(2));
    writeFileSync(join(folder, 'p.jsonl'), '{"seq": 1}\n{"seq": 2, "am');
    await expect(judgeFolder(folder)).rejects.toThrow('p.jsonl:2 is not JSON');
  });
});

const twice = (lines: HistoryLine[]) => [...lines, { ...lines.at(-1)!, seq: lines.length + 1 }];

const CHARGE = {
  seq: 1,
  at: '2026-01-02T03:04:05.000Z',
  operation: 'charge',
  idempotency_key: 'b3f1a0de-0000-8000-8000-000000000000',
  id: 'pi_1',
  parent: null,
  amount: 2500,
  currency: 'myr',
  status: 'succeeded',
  metadata: { payonce_intent: 'b3f1a0de-0000-8000-8000-000000000000' },
};

/** Requests that were all refused before anything was done: two lines each. */
function manyBooks(requests: number): Books {
  const history: HistoryLine[] = [];
  for (let at = 0; at < requests; at++) {
    const common = {
      at: 1_767_322_000_000 + at,
      call: `c${at}`,
      client: 'one',
      account: '01a23565-fb1b-75b8-9ac7-43fc7624d6d8',
      method: 'POST',
      path: '/v1/payments',
      key: `key-${at}`,
      body: '{"amount":2500,"currency":"myr","payment_method":"pm_123"}',
    };
    history.push({ ...common, seq: 2 * at + 1, type: 'invoke' });
    const text = `{"code":"overloaded","request_id":"01a23565-fb1b-75b8-9ac7-${String(at).padStart(12, '0')}"}`;
    const headers = { retry_after: '1' };
    history.push({ ...common, seq: 2 * at + 2, type: 'answer', status: 503, text, headers });
  }
  return { history, database: { payments: [], ledger_entries: [] }, processor: [] };
}
