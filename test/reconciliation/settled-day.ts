import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import { type System, startSystem } from '#testing/system.js';
import { main as reconcile } from '../../ops/reconcile.js';

const HOUR_MS = 3_600_000;

/**
 * A day that is over, at the processor as here: charges in four currencies, a part that was captured, refunds,
 * declines and a cancellation. It begins tomorrow at eight in the evening by UTC, when it is the next day
 * already in Kuala Lumpur, and so that no midnight passes while a test runs.
 */
export class SettledDay {
  private constructor(
    readonly system: System,
    readonly date: string,
  ) {}

  static async open(): Promise<SettledDay> {
    const system = await startSystem({ bendTime: true });
    const tomorrow = new Date(Date.now() + 24 * HOUR_MS).toISOString().slice(0, 10);
    await system.advance(Date.parse(`${tomorrow}T20:00:00Z`) - Date.now());
    const day = new SettledDay(system, tomorrow);
    await day.#happens();
    await system.advance(8 * HOUR_MS);
    return day;
  }

  close(): Promise<void> {
    return this.system.close();
  }

  /** The report as it is right, written plainly, whatever was planted before. */
  async right(): Promise<void> {
    await this.#control('DELETE', `anomalies?date=${this.date}`);
    await this.#control('DELETE', `settlement/form?date=${this.date}`);
  }

  /** Plants one, and returns it as the list for the scorer has it. */
  async plant(kind: string, variant: string): Promise<Planted> {
    await this.#control('POST', 'anomalies', {
      date: this.date,
      kind,
      variant,
      count: 1,
      seed: 11,
    });
    const { text } = await this.system.mockClient.get(`/_control/anomalies?date=${this.date}`);
    return JSON.parse(text) as Planted;
  }

  write(form: Record<string, unknown>): Promise<{ broken_at: number[] }> {
    return this.#control('PUT', 'settlement/form', { date: this.date, ...form });
  }

  /** Runs `npm run reconcile` for the day, in this process, and reads what it printed. */
  async reconcile(...more: string[]): Promise<{ exit: number; result: Reconciliation }> {
    const printed: string[] = [];
    const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      printed.push(String(text));
      return true;
    });
    const { url, appUrl, maintenanceUrl } = this.system.database;
    vi.stubEnv('DATABASE_URL', url);
    vi.stubEnv('APP_DATABASE_URL', appUrl);
    vi.stubEnv('MAINTENANCE_DATABASE_URL', maintenanceUrl);
    vi.stubEnv('STRIPE_API_BASE', this.system.mock.url);
    try {
      await reconcile(['--processor', 'mock', '--date', this.date, '--json', ...more]);
    } finally {
      write.mockRestore();
      vi.unstubAllEnvs();
    }
    const exit = Number(process.exitCode ?? 0);
    process.exitCode = 0;
    const text = printed.join('');
    return { exit, result: text === '' ? null : JSON.parse(text) };
  }

  async #happens(): Promise<void> {
    const { client } = this.system;
    const pay = async (more: object) =>
      (await client.pay({ order_id: randomUUID(), ...more })).json;
    const currencies = ['myr', 'usd', 'jpy', 'kwd'];
    const paid = [];
    for (let n = 1; n <= 12; n += 1) {
      paid.push(await pay({ amount: n * 123_457, currency: currencies[n % currencies.length] }));
    }
    for (const { id, amount } of paid.slice(0, 3)) {
      await client.post(`/v1/payments/${id}/refunds`, { amount: Math.floor(amount / 3) });
    }
    for (let n = 0; n < 2; n += 1) await pay({ payment_method: 'pm_card_chargeDeclined' });
    const held = await pay({ capture: 'manual', amount: 9_000 });
    await client.post(`/v1/payments/${held.id}/capture`, { amount: 4_000 });
    const freed = await pay({ capture: 'manual' });
    await client.post(`/v1/payments/${freed.id}/cancel`);
  }

  async #control(method: string, path: string, body?: object) {
    const answer = await this.system.mockClient.control(method, path, body);
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer.json;
  }
}

export type Planted = { kind: string; reference: string; amount: number };

/** What `npm run reconcile -- --json` prints, as far as these tests read it. */
export type Reconciliation = {
  date: string;
  file_sha256: string;
  lines: number;
  bad_lines: { line: number; reason: string }[];
  breaks: { kind: string; reference: string; closed_at: string | null }[];
} | null;

export function openBreaks(result: Reconciliation): string[] {
  const open = result?.breaks.filter(({ closed_at }) => closed_at === null) ?? [];
  return open.map(({ kind, reference }) => `${kind} ${reference}`);
}
