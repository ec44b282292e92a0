import { stopWhenParentDies } from '#platform/parent.js';
import { startMockProcessor, type MockLogLine } from './server.js';
import { explainFailedStart, readSettings } from './settings.js';

/** The mock as a process: settings from the environment, JSON lines on stdout. */
try {
  const mock = await startMockProcessor({ ...readSettings(process.env), log });
  const stop = () => {
    process.off('SIGTERM', stop).off('SIGINT', stop);
    void mock.close().then(() => process.exit(0));
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  stopWhenParentDies();
  log({ level: 'info', event: 'mock_listening', port: mock.port });
} catch (error) {
  const { message, exitCode } = explainFailedStart(error);
  process.stderr.write(`mock-processor: ${message}\n`);
  process.exit(exitCode);
}

function log(line: MockLogLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
  // Memory is ahead of the disk from here on; a new start tells the truth again.
  if (line.event === 'mock_book_failed') process.exit(1);
}
