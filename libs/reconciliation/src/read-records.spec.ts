import { describe, expect, it } from 'vitest';
import { RecordReader, UnreadableReport } from './read-records.js';

/** What a file holds, read in pieces of so many bytes. */
function recordsOf(file: string | Buffer, pieceBytes: number) {
  const reader = new RecordReader();
  const bytes = Buffer.from(file);
  const records = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    records.push(...reader.push(bytes.subarray(at, at + pieceBytes)));
  }
  return [...records, ...reader.end()];
}

const PIECES = [1, 2, 3, 7, 1_000];

describe('a file is split into the same records, whatever pieces it comes in', () => {
  it.each(PIECES)('of %i bytes', (size) => {
    const file = '\uFEFFa,é\r\n1,"two\nlines"\r\n\r\n2,x\r\nlast,one';
    expect(recordsOf(file, size)).toEqual([
      { line: 1, raw: 'a,é', cells: ['a', 'é'], problem: null },
      { line: 2, raw: '1,"two\nlines"', cells: ['1', 'two\nlines'], problem: null },
      { line: 5, raw: '2,x', cells: ['2', 'x'], problem: null },
      { line: 6, raw: 'last,one', cells: ['last', 'one'], problem: null },
    ]);
  });

  it.each(PIECES)('with lines that are broken, of %i bytes', (size) => {
    const file = Buffer.concat([
      Buffer.from('a,b\n1,"never closed\n2,x\n'),
      Buffer.from([0x33, 0x2c, 0xff, 0x0a]),
      Buffer.from('4,\0\n5,y"y\n6,z\n'),
    ]);
    const seen = recordsOf(file, size).map(({ line, cells, problem }) => [line, cells ?? problem]);
    expect(seen).toEqual([
      [1, ['a', 'b']],
      [2, 'a quote in it is never closed'],
      [3, ['2', 'x']],
      [4, 'it is not UTF-8'],
      [5, 'it holds a NUL character'],
      [6, 'it is no CSV: a quote stands in the middle of a cell'],
      [7, ['6', 'z']],
    ]);
  });
});

it('a quote that is never closed costs its own line, however many follow', () => {
  const lines = Array.from({ length: 100 }, (_, n) => `${n},x`);
  const records = recordsOf(['a,b', '1,"open', ...lines].join('\n'), 64);
  expect(records).toHaveLength(102);
  expect(records.filter(({ problem }) => problem !== null).map(({ line }) => line)).toEqual([2]);
});

it('a line that does not end is refused, and not kept in memory', () => {
  const reader = new RecordReader();
  const piece = Buffer.alloc(1 << 19, 'x');
  expect(() => {
    for (let n = 0; n < 4; n += 1) Array.from(reader.push(piece));
  }).toThrow(UnreadableReport);
});
