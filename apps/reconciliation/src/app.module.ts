import { type DynamicModule, Module } from '@nestjs/common';
import { Core } from '#platform/core.js';
import { Job } from './job.js';

@Module({})
export class AppModule {
  static around(core: Core): DynamicModule {
    return {
      module: AppModule,
      providers: [
        { provide: Core, useValue: core },
        { provide: Job, useFactory: (opened: Core) => new Job(opened), inject: [Core] },
      ],
    };
  }
}
