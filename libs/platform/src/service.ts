import { redact } from '#problems/redact.js';
import { type Config, ConfigError, EXIT_CONFIG, readConfig } from './config.js';
import { type Logger, openLogger } from './logging.js';
import { stopWhenParentDies } from './parent.js';

export type Running = { stop(): Promise<void> };

/**
 * The life of a service process: reads the configuration before anything else (78 if it is wrong, naming
 * the setting), starts, and on SIGTERM or SIGINT finishes what is running and exits with 0.
 */
export async function runService(
  name: string,
  start: (config: Config, log: Logger) => Promise<Running>,
): Promise<void> {
  const earlyLog = openLogger(name, 'info');
  process.on('uncaughtException', (error) => die(earlyLog, error));
  process.on('unhandledRejection', (error) => die(earlyLog, error));
  try {
    const config = readConfig(process.env);
    const log = openLogger(name, config.logLevel);
    const running = await start(config, log);
    stopOnSignals(log, running);
    stopWhenParentDies();
  } catch (error) {
    if (!(error instanceof ConfigError)) return die(earlyLog, error);
    process.stderr.write(`${name}: ${redact(error.message)}\n`);
    process.exit(EXIT_CONFIG);
  }
}

function stopOnSignals(log: Logger, running: Running): void {
  let stopping = false;
  const stop = async (signal: NodeJS.Signals) => {
    if (stopping) return; // a second signal must not cut short what the first one is finishing
    stopping = true;
    log.info('stopping', { signal });
    await running.stop();
    log.info('stopped', {});
    process.exit(0);
  };
  process.on('SIGTERM', (signal) => void stop(signal));
  process.on('SIGINT', (signal) => void stop(signal));
}

/** A bug: say it once, and let the supervisor start a process with a clean memory. */
function die(log: Logger, error: unknown): void {
  const stack = error instanceof Error ? error.stack : undefined;
  log.critical('process_failed', { error: String(error), stack });
  process.exit(1);
}
