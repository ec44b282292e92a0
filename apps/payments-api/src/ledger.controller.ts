import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ChartLine, chartLine } from '#ledger/chart.js';
import { readAccounts, readBalance, readTrialBalance } from '#ledger/read-sums.js';
import { readStatement } from '#ledger/read-statement.js';
import { statementCsv } from '#ledger/statement-csv.js';
import { NeedsScope, OperatorsRead } from '#platform/auth.guard.js';
import { Core } from '#platform/core.js';
import { ProblemError } from '#platform/problem-error.js';
import { readAsOf, readLedgerReader, readStatementFilters } from './ledger-filters.js';
import {
  DescribeAccounts,
  DescribeBalance,
  DescribeStatement,
  DescribeTrialBalance,
} from './ledger.openapi.js';

/** The ledger, read: an account sees its own, an operator every account's of one mode. @keeps P4 */
@Controller('v1/ledger')
@NeedsScope('payments:read')
@OperatorsRead()
export class LedgerController {
  constructor(private readonly core: Core) {}

  @Get('trial-balance')
  @DescribeTrialBalance()
  async trialBalance(@Req() request: FastifyRequest): Promise<object> {
    const { reader, filters } = readAsOf(request);
    return readTrialBalance(this.core.deps.db, reader, filters);
  }

  @Get('accounts')
  @DescribeAccounts()
  async accounts(@Req() request: FastifyRequest): Promise<object> {
    return readAccounts(this.core.deps.db, readLedgerReader(request));
  }

  @Get('accounts/:name/balance')
  @DescribeBalance()
  async balance(@Req() request: FastifyRequest, @Param('name') name: string): Promise<object> {
    const line = lineOf(name);
    const { reader, filters } = readAsOf(request);
    return readBalance(this.core.deps.db, reader, line, filters);
  }

  @Get('accounts/:name/statement')
  @DescribeStatement()
  async statement(
    @Req() request: FastifyRequest,
    @Res() response: FastifyReply,
    @Param('name') name: string,
  ): Promise<void> {
    const line = lineOf(name);
    const { reader, filters, format } = readStatementFilters(request);
    const page = await readStatement(this.core.deps.db, reader, line, filters);
    if (format === 'json') return void (await response.code(200).send(page));
    await response
      .code(200)
      .headers({
        'content-type': 'text/csv; charset=utf-8; header=present',
        'content-disposition': `attachment; filename="${line.name}.csv"`,
        ...(page.next === null ? {} : { link: `<${nextPage(request, page.next)}>; rel="next"` }),
      })
      .send(statementCsv(page.data));
  }
}

function lineOf(name: string): ChartLine {
  const line = chartLine(name);
  if (line === null) throw new ProblemError({ code: 'not_found' });
  return line;
}

/** A file has no member for it: the same address, from the last entry on. */
function nextPage(request: FastifyRequest, next: string): string {
  const [path, query = ''] = request.url.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.set('after', next);
  return `${path}?${parameters.toString()}`;
}
