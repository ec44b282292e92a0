import { Controller, Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { listAudit } from '#operations/read-audit.js';
import { NeedsScope, operatorOf } from '#platform/auth.guard.js';
import { Core } from '#platform/core.js';
import { DescribeAudit } from './audit.openapi.js';
import { readPaging } from './read-filters.js';

/** What operators did, and why. */
@Controller('v1/operations/audit')
@NeedsScope('operations')
export class AuditController {
  constructor(private readonly core: Core) {}

  @Get()
  @DescribeAudit()
  async list(@Req() request: FastifyRequest): Promise<object> {
    return listAudit(this.core.deps.db, operatorOf(request).mode, readPaging(request));
  }
}
