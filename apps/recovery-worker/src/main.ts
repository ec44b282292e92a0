import 'reflect-metadata';
import { runService } from '#platform/service.js';

await runService('recovery-worker', async (config, log) => {
  // Loaded when the configuration has been read: a service that may not start says so at once.
  const { NestFactory } = await import('@nestjs/core');
  const { openCore } = await import('#platform/core.js');
  const { AppModule } = await import('./app.module.js');
  const core = await openCore(config, log, { service: 'recovery-worker' });
  const app = await NestFactory.createApplicationContext(AppModule.around(core), { logger: false });
  log.info('sweeping', {});
  return {
    stop: async () => {
      await app.close();
      await core.close();
    },
  };
});
