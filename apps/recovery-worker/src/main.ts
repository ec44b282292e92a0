import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { openCore } from '#platform/core.js';
import { runService } from '#platform/service.js';
import { AppModule } from './app.module.js';

await runService('recovery-worker', async (config, log) => {
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
