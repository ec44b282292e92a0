import { applyDecorators } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiExtraModels,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiQuery,
  ApiResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { CHART_NAMES } from '#ledger/chart.js';
import { ENTRY_KINDS, LEDGER_ACCOUNTS } from '#ledger/entry-kinds.js';
import { BASES } from '#ledger/read-sums.js';
import { INSTANT, PAGING } from './operations.openapi.js';
import { COMMON_PROBLEMS, problems } from './payments.openapi.js';

const MINOR = { pattern: '^-?[0-9]+$', description: 'Minor units.', example: '2500' } as const;
const CURRENCY = { pattern: '^[a-z]{3}$', example: 'myr' } as const;
const ACCOUNTS = Object.keys(LEDGER_ACCOUNTS);

class ChartLineDto {
  @ApiProperty({ enum: CHART_NAMES })
  name: string;

  @ApiProperty({ enum: ['asset', 'liability', 'expense'] })
  type: string;

  @ApiProperty({
    type: String,
    enum: ACCOUNTS,
    nullable: true,
    description: 'The account whose entries these are; they count in its balance as well.',
  })
  part_of: string | null;
}

class SumsDto {
  @ApiProperty(MINOR)
  debits: string;

  @ApiProperty(MINOR)
  credits: string;

  @ApiProperty({ ...MINOR, description: 'Minor units, on the side where the account grows.' })
  balance: string;

  @ApiProperty({ type: 'integer', minimum: 0 })
  entries: number;
}

class CurrencySumsDto extends SumsDto {
  @ApiProperty(CURRENCY)
  currency: string;
}

class LedgerAccountDto extends ChartLineDto {
  @ApiProperty({ enum: ['ledger_account'] })
  object: string;

  @ApiProperty({ enum: ['debit', 'credit'], description: 'The side where its balance grows.' })
  normal_side: string;

  @ApiProperty({ type: [CurrencySumsDto] })
  balances: CurrencySumsDto[];
}

class LedgerAccountListDto {
  @ApiProperty({ type: [LedgerAccountDto] })
  data: LedgerAccountDto[];

  @ApiProperty({ type: String, nullable: true })
  next: string | null;
}

class LedgerBalanceDto extends ChartLineDto {
  @ApiProperty({ enum: ['ledger_balance'] })
  object: string;

  @ApiProperty(INSTANT)
  as_of: string;

  @ApiProperty({ enum: BASES })
  basis: string;

  @ApiProperty({ type: [CurrencySumsDto] })
  data: CurrencySumsDto[];
}

class TrialLineDto extends ChartLineDto {
  @ApiProperty(MINOR)
  debits: string;

  @ApiProperty(MINOR)
  credits: string;

  @ApiProperty(MINOR)
  balance: string;

  @ApiProperty({ type: 'integer', minimum: 0 })
  entries: number;
}

class TrialCurrencyDto {
  @ApiProperty(CURRENCY)
  currency: string;

  @ApiProperty({ ...MINOR, description: 'Of all accounts. Parts count with their account.' })
  debits: string;

  @ApiProperty({ ...MINOR, description: 'Equal to the debits, always.' })
  credits: string;

  @ApiProperty({ type: [TrialLineDto] })
  accounts: TrialLineDto[];
}

class TrialBalanceDto {
  @ApiProperty({ enum: ['trial_balance'] })
  object: string;

  @ApiProperty(INSTANT)
  as_of: string;

  @ApiProperty({ enum: BASES })
  basis: string;

  @ApiProperty({ type: [TrialCurrencyDto] })
  data: TrialCurrencyDto[];
}

class StatementLineDto {
  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty({ ...INSTANT, description: 'When it was booked.' })
  recorded_at: string;

  @ApiProperty({ ...INSTANT, description: 'When it happened.' })
  effective_at: string;

  @ApiProperty({ enum: Object.keys(ENTRY_KINDS) })
  entry_kind: string;

  @ApiProperty({ format: 'uuid' })
  payment_id: string;

  @ApiProperty({ format: 'uuid', description: 'The payment, refund, capture, dispute or payout.' })
  source_id: string;

  @ApiProperty({ type: String, nullable: true, example: '1042' })
  order_id: string | null;

  @ApiProperty({ enum: ACCOUNTS, description: 'The account on the other side.' })
  counterpart: string;

  @ApiProperty(CURRENCY)
  currency: string;

  @ApiProperty({ ...MINOR, type: String, nullable: true })
  debit: string | null;

  @ApiProperty({ ...MINOR, type: String, nullable: true })
  credit: string | null;

  @ApiProperty({ ...MINOR, description: 'In this currency, after this entry. Minor units.' })
  balance: string;
}

class StatementDto {
  @ApiProperty({
    type: [StatementLineDto],
    description:
      'In the order of booking, up to the oldest transaction that still runs: a line that was read ' +
      'stands for ever, and nothing appears in front of it. What is booked since comes behind it, usually within ' +
      'milliseconds.',
  })
  data: StatementLineDto[];

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Null where nothing more stands there yet. To go on later, give the last `id` as `after`.',
  })
  next: string | null;
}

const NAME = { name: 'name', schema: { type: 'string', enum: CHART_NAMES } } as const;
const OF_ACCOUNT = ApiQuery({
  name: 'account_id',
  required: false,
  description: 'For operators: of this account alone.',
});
const AS_OF = [
  ApiQuery({
    name: 'as_of',
    required: false,
    description: 'RFC 3339: what was there until then, that instant included. Without it: now.',
  }),
  ApiQuery({
    name: 'basis',
    required: false,
    schema: { enum: [...BASES], default: 'effective' },
    description: 'Whether `as_of` means when it happened or when it was booked.',
  }),
  OF_ACCOUNT,
];

export const DescribeTrialBalance = () =>
  describe('Debits and credits of every account', 'readTrialBalance', [
    ...AS_OF,
    ApiResponse({ status: 200, type: TrialBalanceDto }),
    ...problems(['validation_failed', ...COMMON_PROBLEMS]),
  ]);

export const DescribeAccounts = () =>
  describe('The chart of accounts, with balances', 'listLedgerAccounts', [
    OF_ACCOUNT,
    ApiResponse({ status: 200, type: LedgerAccountListDto }),
    ...problems(['validation_failed', ...COMMON_PROBLEMS]),
  ]);

export const DescribeBalance = () =>
  describe('The balance of one account of the chart', 'readLedgerBalance', [
    ApiParam(NAME),
    ...AS_OF,
    ApiResponse({ status: 200, type: LedgerBalanceDto }),
    ...problems(['not_found', 'validation_failed', ...COMMON_PROBLEMS]),
  ]);

export const DescribeStatement = () =>
  describe('The entries of one account of the chart, oldest first', 'readLedgerStatement', [
    ApiExtraModels(StatementDto),
    ApiParam(NAME),
    ApiQuery({
      name: 'format',
      required: false,
      schema: { enum: ['json', 'csv'], default: 'json' },
    }),
    ApiQuery({ name: 'currency', required: false, schema: { type: 'string', ...CURRENCY } }),
    ApiQuery({ name: 'created_after', required: false, description: 'RFC 3339; booked after it.' }),
    ApiQuery({
      name: 'created_before',
      required: false,
      description: 'RFC 3339; booked before it.',
    }),
    ...PAGING,
    ApiQuery({
      name: 'account_id',
      required: false,
      description: 'For operators, who need it: whose statement.',
    }),
    ApiResponse({
      status: 200,
      content: {
        'application/json': { schema: { $ref: getSchemaPath(StatementDto) } },
        'text/csv': { schema: { type: 'string' } },
      },
      headers: {
        Link: {
          description: 'With `format=csv`: the next page, `rel="next"`.',
          schema: { type: 'string' },
        },
      },
    }),
    ...problems(['not_found', 'validation_failed', ...COMMON_PROBLEMS]),
  ]);

function describe(
  summary: string,
  operationId: string,
  decorators: MethodDecorator[],
): MethodDecorator {
  return applyDecorators(
    ApiTags('ledger'),
    ApiBearerAuth(),
    ApiOperation({ summary, operationId }),
    ...decorators,
  );
}
