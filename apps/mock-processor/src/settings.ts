export type Settings = { port: number; host: string; bookFile: string };

/** A setting that cannot be used; the process ends with 78 and is not started again. */
export class SettingError extends Error {}

export function readSettings(env: NodeJS.ProcessEnv): Settings {
  return {
    port: readPort('MOCK_PORT', env['MOCK_PORT'] ?? '3001'),
    host: env['MOCK_HOST'] || '127.0.0.1',
    bookFile: env['MOCK_BOOK'] || '.payonce/mock/book.jsonl',
  };
}

export function readPort(name: string, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(port <= 65_535)) {
    throw new SettingError(`${name} is "${text}"; a port is a number from 0 (any) to 65535`);
  }
  return port;
}
