import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { PING } from '#postgres/boot.sql.js';
import { Core } from '#platform/core.js';
import { ProblemError } from '#platform/problem-error.js';

/** Live: the process answers. Ready: it would take a payment now. */
@ApiExcludeController()
@Controller('health')
export class HealthController {
  #stopping = false;

  constructor(private readonly core: Core) {}

  @Get('live')
  live(): object {
    return { status: 'ok' };
  }

  @Get('ready')
  async ready(): Promise<object> {
    if (this.#stopping)
      throw new ProblemError({ code: 'overloaded', detail: 'This process is stopping.' });
    await this.core.deps.db.run(PING, []);
    return { status: 'ok' };
  }

  /** From now on a balancer should send new requests elsewhere. */
  beforeApplicationShutdown(): void {
    this.#stopping = true;
  }
}
