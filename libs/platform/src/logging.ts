import { type DestinationStream, destination, pino } from 'pino';
import type { Log } from '#payments/deps.js';
import { redact } from '#problems/redact.js';

export type LogLevel = 'debug' | 'info' | 'warning' | 'error' | 'critical';
export type Logger = Log & {
  debug(event: string, facts: Record<string, unknown>): void;
  error(event: string, facts: Record<string, unknown>): void;
};

const LEVELS: Record<LogLevel, number> = {
  debug: 20,
  info: 30,
  warning: 40,
  error: 50,
  critical: 60,
};

/** JSON lines on standard output, each with a `level` in words and a stable `event`. */
export function openLogger(
  service: string,
  level: LogLevel,
  out: DestinationStream = standardOutput(),
): Logger {
  const logger = pino(
    {
      level,
      customLevels: LEVELS,
      useOnlyCustomLevels: true,
      base: { service, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    out,
  );
  const at = (name: LogLevel) => (event: string, facts: Record<string, unknown>) => {
    if (LEVELS[name] >= LEVELS[level]) logger[name]({ event, ...masked(facts) });
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warning: at('warning'),
    error: at('error'),
    critical: at('critical'),
  };
}

/** A full disk or a closed pipe behind the log must not stop payments. */
function standardOutput(): DestinationStream {
  const out = destination({ fd: 1, sync: true });
  out.on('error', () => {});
  return out;
}

/** Card numbers and secrets are masked in every text, wherever it came from. */
function masked(facts: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      name,
      typeof value === 'string' ? redact(value) : value,
    ]),
  );
}
