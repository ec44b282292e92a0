import { stopWhenParentDies } from '#platform/parent.js';
import { BookError } from './book.js';
import { startMockProcessor, type MockLogLine } from './server.js';
import { readSettings, SettingError } from './settings.js';

const EXIT_CONFIGURATION = 78;

/** The mock as a process: settings from the environment, JSON lines on stdout. */
try {
  const { port, host, bookFile } = readSettings(process.env);
  const mock = await startMockProcessor({ port, host, bookFile, log });
  const stop = () => {
    process.off('SIGTERM', stop).off('SIGINT', stop);
    void mock.close().then(() => process.exit(0));
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  stopWhenParentDies();
  log({ level: 'info', event: 'mock_listening', port: mock.port });
} catch (error) {
  process.stderr.write(`mock-processor: ${(error as Error).message}\n`);
  process.exit(isConfiguration(error) ? EXIT_CONFIGURATION : 1);
}

function log(line: MockLogLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
  // Memory is ahead of the disk from here on; a new start tells the truth again.
  if (line.event === 'mock_book_failed') process.exit(1);
}

/** A host or a file that cannot be used: starting again would not help. */
function isConfiguration(error: unknown): boolean {
  if (error instanceof SettingError || error instanceof BookError) return true;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return ['EACCES', 'EADDRNOTAVAIL', 'EISDIR', 'ENOTDIR', 'ENOTFOUND', 'EROFS'].includes(code);
}
