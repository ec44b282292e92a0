import { createHash } from 'node:crypto';
import { minor } from './amounts.js';
import type { Row, Violation } from './books.js';
import { type World, groupBy, violation } from './world.js';

/**
 * I18: the chain over the ledger, computed anew. Every link follows from the one before it and from its entry; no entry stands
 * without one where all have theirs; and what was signed is still so. Entries that wait for their link are all right.
 */
export function checkChain(world: World): Violation[] {
  const links = world.table('ledger_chain');
  const entries = new Map(
    world.table('ledger_entries').map((row) => [nameOf(row['id'], row), row]),
  );
  const linked = new Map<string, Row>();
  const found: Violation[] = [];
  for (const link of links) {
    const name = nameOf(link['entry_id'], link);
    if (linked.has(name)) found.push(violation('I18', 'an entry has two links', link));
    linked.set(name, link);
  }
  const shards = groupBy(inOrder(links), ({ shard }) => String(shard));
  for (const shard of shards.values()) found.push(...follow(shard, entries));
  for (const account of groupBy(links, (row) => String(row['account_id'])).values()) {
    const numbers = new Set(account.map(({ number }) => Number(number)));
    const isWhole = numbers.size === account.length && Math.max(...numbers) === account.length;
    if (!isWhole) found.push(violation('I18', 'links of an account are misnumbered', account[0]!));
  }
  return [...found, ...inserted(world, linked), ...ends(world, shards), ...signed(world, shards)];
}

/** The links of one shard, in their order. */
function follow(links: readonly Row[], entries: ReadonlyMap<string, Row>): Violation[] {
  const found: Violation[] = [];
  let previous: Buffer = Buffer.alloc(32);
  for (const [at, link] of links.entries()) {
    const entry = entries.get(nameOf(link['entry_id'], link));
    const hash = bytesOf(link['hash']);
    if (Number(link['sequence']) !== at + 1) {
      return [...found, violation('I18', 'a link is gone', link)];
    }
    if (entry === undefined) found.push(violation('I18', 'a link of no entry', link));
    else if (!hash.equals(hashOf(previous, link, entry))) {
      found.push(violation('I18', 'an entry or its link was changed', entry, link));
    }
    previous = hash;
  }
  return found;
}

function hashOf(previous: Buffer, link: Row, entry: Row): Buffer {
  return createHash('sha256').update(previous).update(recordOf(link, entry)).digest();
}

type Column = readonly [type: number, bytes: Buffer];

/** A row in the binary form of PostgreSQL's protocol: how many columns; type, length and bytes of each. */
function recordOf(link: Row, entry: Row): Buffer {
  const columns: Column[] = [
    [21, big(BigInt(String(link['shard']))).subarray(6)],
    [20, big(BigInt(String(link['sequence'])))],
    ...['id', 'account_id', 'payment_id', 'source_id'].map((name): Column => [
      2950,
      Buffer.from(String(entry[name]).replaceAll('-', ''), 'hex'),
    ]),
    ...['entry_kind', 'debit_account', 'credit_account'].map((name) => text(entry[name])),
    [20, big(whole(entry['amount']))],
    text(entry['currency']),
    [1184, big(microseconds(String(entry['effective_at'])))],
    [1184, big(microseconds(String(entry['recorded_at'])))],
    [5069, big(BigInt(String(entry['recorded_xid'])))],
  ];
  const parts = columns.flatMap(([type, bytes]) => [int(type), int(bytes.length), bytes]);
  return Buffer.concat([int(columns.length), ...parts]);
}

/** Minus one for what is no whole number, which no hash fits. */
function whole(value: unknown): bigint {
  return minor(value) ?? -1n;
}

function text(value: unknown): Column {
  return [25, Buffer.from(String(value))];
}

function int(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function big(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(value);
  return bytes;
}

/** Since 2000, of `2026-12-02T16:00:00.123456+00:00`. Zero for what is no instant, which no hash fits. */
function microseconds(instant: string): bigint {
  const [, seconds = '', fraction = '', zone = ''] =
    /^(.{19})(?:\.(\d{1,6}))?(Z|[+-]\d\d:\d\d)$/.exec(instant) ?? [];
  const ms = Date.parse(`${seconds}${zone}`) - Date.UTC(2000, 0, 1);
  return Number.isNaN(ms) ? 0n : BigInt(ms) * 1000n + BigInt(fraction.padEnd(6, '0'));
}

/** Each chain says up to where every entry is linked. */
function inserted(world: World, linked: ReadonlyMap<string, Row>): Violation[] {
  const positions = new Map(
    world
      .table('ledger_shards')
      .map((row) => [
        Number(row['shard']),
        positionOf(row['position_xid'], row['position_account'], row['position_entry']),
      ]),
  );
  return world
    .table('ledger_entries')
    .filter((entry) => {
      const position = positions.get(shardOf(String(entry['account_id'])));
      const own = positionOf(entry['recorded_xid'], entry['account_id'], entry['id']);
      return position !== undefined && own <= position && !linked.has(nameOf(entry['id'], entry));
    })
    .map((entry) => violation('I18', 'an entry was put among those that are linked', entry));
}

function shardOf(account: string): number {
  const bytes = Buffer.from(account.replaceAll('-', ''), 'hex');
  return createHash('sha256').update(bytes).digest()[0]! % 8;
}

/** Sorts as the database does. */
function positionOf(xid: unknown, account: unknown, entry: unknown): string {
  return `${String(xid).padStart(20, '0')} ${String(account)} ${String(entry)}`;
}

function ends(world: World, shards: ReadonlyMap<string, Row[]>): Violation[] {
  return world
    .table('ledger_shards')
    .filter(({ shard, sequence, hash }) => {
      const last = shards.get(String(shard))?.at(-1);
      if (last === undefined) return Number(sequence) !== 0;
      return Number(last['sequence']) !== Number(sequence) || last['hash'] !== hash;
    })
    .map((row) => violation('I18', 'a chain does not end where it should', row));
}

function signed(world: World, shards: ReadonlyMap<string, Row[]>): Violation[] {
  return world
    .table('ledger_checkpoints')
    .filter(({ shard, sequence, hash, count }) => {
      const links = shards.get(String(shard)) ?? [];
      const link = links.find((one) => Number(one['sequence']) === Number(sequence));
      return link?.['hash'] !== hash || Number(count) !== Number(sequence);
    })
    .map((row) => violation('I18', 'a chain is not what was signed', row));
}

function inOrder(links: readonly Row[]): Row[] {
  return links.toSorted((one, other) => Number(one['sequence']) - Number(other['sequence']));
}

function bytesOf(hash: unknown): Buffer {
  return Buffer.from(String(hash).replace(/^\\x/, ''), 'hex');
}

function nameOf(id: unknown, { account_id: account }: Row): string {
  return `${String(account)} ${String(id)}`;
}
