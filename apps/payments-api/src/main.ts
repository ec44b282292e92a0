import 'reflect-metadata';
import { openCore } from '#platform/core.js';
import { runService } from '#platform/service.js';
import { createApp } from './create-app.js';

await runService('payments-api', async (config, log) => {
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
