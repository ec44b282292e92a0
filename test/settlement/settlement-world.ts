import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '#seams/clock.js';
import { MockClient, type MockAnswer } from '#testing/mock-client.js';
import { startMockProcessor, type Mock } from '../../apps/mock-processor/src/server.js';

export const DAY = '2026-01-31';
export const NEXT_DAY = '2026-02-01';

/** A mock whose clock stands still at ten in the morning of `DAY` until it is set, and whose names repeat. */
export class SettlementWorld {
  nowMs = Date.parse(`${DAY}T10:00:00Z`);
  client!: MockClient;
  #mock!: Mock;
  #drawn = 0;

  private constructor(readonly folder: string) {}

  static async open(): Promise<SettlementWorld> {
    const world = new SettlementWorld(await mkdtemp(join(tmpdir(), 'settlement-')));
    await world.start();
    return world;
  }

  get bookFile(): string {
    return join(this.folder, 'book.jsonl');
  }

  async start(bookFile = this.bookFile): Promise<void> {
    this.#mock = await startMockProcessor({
      bookFile,
      clock: { ...systemClock, wallMs: () => this.nowMs },
      random: {
        unit: () => 0.5,
        uuid: () => '00000000-0000-8000-8000-000000000000',
        bytes: (length) => digest(String((this.#drawn += 1))).subarray(0, length),
      },
    });
    this.client = new MockClient(this.#mock.url);
  }

  stop(): Promise<void> {
    return this.#mock.close();
  }

  async close(): Promise<void> {
    await this.stop();
    await rm(this.folder, { recursive: true });
  }

  at(instant: string): void {
    this.nowMs = Date.parse(instant);
  }

  /** A charge of ours: its payment intent's id. */
  async charged(intent: string, form: Record<string, string> = {}): Promise<string> {
    const { json } = await this.client.charge('pm_card_visa', {
      intent,
      'metadata[payonce_account]': 'acc-1',
      ...form,
    });
    return json.id;
  }

  async refunded(paymentIntent: string, amount: number): Promise<string> {
    const form = { payment_intent: paymentIntent, amount: String(amount) };
    return (await this.client.post('/v1/refunds', form)).json.id;
  }

  happens(kind: string, more: Record<string, unknown>): Promise<MockAnswer> {
    return this.client.control('POST', 'events', { kind, ...more });
  }

  report(date = DAY, more = ''): Promise<MockAnswer> {
    return this.client.get(`/_control/settlement?date=${date}${more}`);
  }

  async lines(date = DAY): Promise<ReportLine[]> {
    return readReport((await this.report(date)).text);
  }
}

export type ReportLine = Record<string, string>;

/** Reads a report as it is printed without noise, with no code of the mock's. */
export function readReport(text: string): ReportLine[] {
  const [header = '', ...rows] = text.replace(/\n$/, '').split('\n');
  const names = header.split(',');
  return rows.map((row) => {
    const cells = [...row.matchAll(/(?:^|,)("(?:[^"]|"")*"|[^,]*)/g)].map(([, cell = '']) =>
      cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell,
    );
    return Object.fromEntries(names.map((name, at) => [name, cells[at] ?? '(absent)']));
  });
}

/** Gross, fee and net of a line, as printed. */
export function money({ gross, fee, net }: ReportLine): string {
  return `${gross} ${fee} ${net}`;
}

export function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
