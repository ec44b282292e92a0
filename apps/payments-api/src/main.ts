import 'reflect-metadata';
import { runService } from '#platform/service.js';

await runService('payments-api', async (config, log) => {
  // Loaded when the configuration has been read: a service that may not start says so at once.
  const { openCore } = await import('#platform/core.js');
  const { createApp } = await import('./create-app.js');
  const core = await openCore(config, log, { service: 'payments-api' });
  const app = await createApp(core);
  await app.listen(config.port, config.host);
  const { port } = app.getHttpServer().address() as { port: number };
  log.info('listening', { port, host: config.host });
  return {
    stop: async () => {
      await app.close();
      await core.close();
    },
  };
});
