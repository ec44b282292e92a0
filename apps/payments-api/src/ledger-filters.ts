import type { FastifyRequest } from 'fastify';
import { exponentOf } from '#money/currencies.js';
import type { StatementFilters, StatementReader } from '#ledger/read-statement.js';
import { type AsOf, BASES, type LedgerReader } from '#ledger/read-sums.js';
import { readerOf } from '#platform/auth.guard.js';
import { ProblemError } from '#platform/problem-error.js';
import {
  OPERATORS_READERS,
  PAGE_READERS,
  type Readers,
  readInstant,
  readParameters,
  readWord,
} from './read-filters.js';

type OfAccount = { accountId?: string };
type Read<Filters> = { reader: LedgerReader; filters: Filters };

/** Of the list of accounts: whose. */
export function readLedgerReader(request: FastifyRequest): LedgerReader {
  return read(request, {}).reader;
}

/** Of a balance: whose, and as of when. */
export function readAsOf(request: FastifyRequest): Read<AsOf> {
  const { reader, filters } = read<Partial<AsOf>>(request, {
    as_of: (text, found) => readInstant(text, 'as_of', (at) => (found.asOf = at)),
    basis: (text, found) => readWord(text, 'basis', BASES, (basis) => (found.basis = basis)),
  });
  return { reader, filters: { basis: 'effective', ...filters } };
}

const FORMATS = ['json', 'csv'] as const;
type Asked = Partial<StatementFilters> & { format?: (typeof FORMATS)[number] };

/** Of a statement, which is one account's: an operator says whose. */
export function readStatementFilters(request: FastifyRequest): {
  reader: StatementReader;
  filters: StatementFilters;
  format: 'json' | 'csv';
} {
  const { created_after, created_before, after, limit } = PAGE_READERS as Readers<Asked>;
  const { reader, filters } = read<Asked>(request, {
    ...(created_after && { created_after }),
    ...(created_before && { created_before }),
    ...(after && { after }),
    ...(limit && { limit }),
    currency: (text, found) => {
      if (exponentOf(text) === undefined) return 'currency must be an ISO 4217 code, such as myr.';
      found.currency = text;
      return null;
    },
    format: (text, found) => readWord(text, 'format', FORMATS, (format) => (found.format = format)),
  });
  const { accountId } = reader;
  if (accountId === undefined) {
    const detail = 'account_id is needed: a statement is of one account.';
    throw new ProblemError({ code: 'validation_failed', param: 'account_id', detail });
  }
  const { format = 'json', limit: count = LIMIT_DEFAULT, ...others } = filters;
  return { reader: { ...reader, accountId }, filters: { ...others, limit: count }, format };
}

const LIMIT_DEFAULT = 20;

function read<Filters extends object>(
  request: FastifyRequest,
  readers: Readers<Filters>,
): Read<Filters> {
  const caller = readerOf(request);
  if (caller.kind === 'account') {
    const filters = readParameters<Filters>(request, readers);
    return { reader: { kind: 'account', accountId: caller.accountId }, filters };
  }
  const operators: Readers<Filters & OfAccount> = { ...readers, ...OPERATORS_READERS };
  const { accountId, ...filters } = readParameters<Filters & OfAccount>(request, operators);
  const { mode } = caller;
  const reader: LedgerReader = {
    kind: 'operator',
    mode,
    ...(accountId === undefined ? {} : { accountId }),
  };
  return { reader, filters: filters as unknown as Filters };
}
