import { BookError } from './book.js';
import type { WebhookTarget } from './webhook-settings.js';

export type Settings = {
  port: number;
  host: string;
  bookFile: string;
  /** Null: events are listed and not sent. */
  webhooks: WebhookTarget | null;
};

/** A setting that cannot be used; the process ends with 78 and is not started again. */
export class SettingError extends Error {}

export function readSettings(env: NodeJS.ProcessEnv): Settings {
  return {
    port: readPort('MOCK_PORT', env['MOCK_PORT'] ?? '3001'),
    host: env['MOCK_HOST'] || '127.0.0.1',
    bookFile: env['MOCK_BOOK'] || '.payonce/mock/book.jsonl',
    webhooks: readTarget(env['MOCK_WEBHOOK_URL'] ?? '', env['STRIPE_WEBHOOK_SECRET'] ?? ''),
  };
}

/** The demonstration's secret, which nobody would take for one. */
export const DEMO_WEBHOOK_SECRET = 'whsec_payonce_demo';

/** The first secret of the list signs: the others are those that a receiver still takes. */
function readTarget(address: string, secrets: string): WebhookTarget | null {
  if (address === '') return null;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new SettingError('MOCK_WEBHOOK_URL is not an http or https address');
  }
  const secret = (secrets || DEMO_WEBHOOK_SECRET).split(',', 1)[0]?.trim() ?? '';
  if (secret === '') throw new SettingError('STRIPE_WEBHOOK_SECRET begins with an empty secret');
  return { url: url.href, secret };
}

export function readPort(name: string, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(port <= 65_535)) {
    throw new SettingError(`${name} is "${text}"; a port is a number from 0 (any) to 65535`);
  }
  return port;
}

/** What to say about a start that failed, and how to exit: 78 when another start would fail as well. */
export function explainFailedStart(error: unknown): { message: string; exitCode: number } {
  const { message, code } = error as NodeJS.ErrnoException;
  if (error instanceof SettingError) return { message, exitCode: EXIT_CONFIGURATION };
  // The port may be free a moment later: whoever supervises us tries again.
  if (code === 'EADDRINUSE') {
    const { port } = error as { port?: number };
    const what = `port ${port} is taken by another process; MOCK_PORT or --port names another`;
    return { message: what, exitCode: 1 };
  }
  const setting = settingBehind(error as NodeJS.ErrnoException);
  if (setting === null) return { message, exitCode: 1 };
  return { message: `${setting}: ${message}`, exitCode: EXIT_CONFIGURATION };
}

const EXIT_CONFIGURATION = 78;

function settingBehind(error: NodeJS.ErrnoException): string | null {
  if (error instanceof BookError) return 'MOCK_BOOK';
  const { code = '', syscall } = error;
  if (syscall === 'listen') return code === 'EACCES' ? 'MOCK_PORT' : 'MOCK_HOST';
  if (syscall === 'getaddrinfo') return 'MOCK_HOST';
  return ['EACCES', 'EEXIST', 'EISDIR', 'ENOTDIR', 'EROFS'].includes(code) ? 'MOCK_BOOK' : null;
}
