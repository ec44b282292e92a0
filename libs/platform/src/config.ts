import { buildKind } from '#seams/build-kind.js';
import { type SigningKeys, readSigningKeys } from '#ledger/signing-keys.js';
import { keepsKeys, leaseProblem } from '#payments/lease-arithmetic.js';

/** A setting that is missing or wrong. The message names the variable; the process exits 78 (EX_CONFIG). */
export class ConfigError extends Error {}
export const EXIT_CONFIG = 78;

export type Config = Readonly<ReturnType<typeof parse>>;

/** Every variable that is read, in the order of `.env.example`. A test holds the two equal. */
export const CONFIG_VARIABLES = [
  'DATABASE_URL',
  'APP_DATABASE_URL',
  'MAINTENANCE_DATABASE_URL',
  'SESSION_DATABASE_URL',
  'HOST',
  'PORT',
  'MOCK_HOST',
  'MOCK_PORT',
  'STRIPE_SECRET_KEY',
  'STRIPE_API_BASE',
  'STRIPE_WEBHOOK_SECRET',
  'MOCK_WEBHOOK_URL',
  'PROCESSOR_TIMEOUT_MS',
  'PROCESSOR_KEY_WINDOW_MS',
  'VISIBILITY_WINDOW_MS',
  'LEASE_MS',
  'RECOVERY_TRIES_MAX',
  'ACCOUNT_IN_FLIGHT_MAX',
  'ACCOUNT_NEW_KEYS_PER_MINUTE',
  'ORDER_ONCE',
  'LATE_SUCCESS_POLICY',
  'RECOVERY_SINCE',
  'ANSWERS_DAYS',
  'LEDGER_SIGNING_KEY',
  'SETTLEMENT_WINDOW_HOURS',
  'LOG_LEVEL',
  'FAILPOINTS',
  'PAYONCE_DEMO_KEY',
] as const;

export const LOG_LEVELS = ['debug', 'info', 'warning', 'error', 'critical'] as const;
/** The secret key that the demonstration uses with the mock; no real processor knows it. */
export const DEMO_STRIPE_KEY = 'sk_test_payonce_demo';
/** Signs the mock's events in the demonstration. */
export const DEMO_WEBHOOK_SECRET = 'whsec_payonce_demo';
/** Signs the ledger's checkpoints in the demonstration: 32 bytes that everybody can read. */
export const DEMO_LEDGER_KEY = 'cGF5b25jZS1kZW1vLWxlZGdlci1zaWduaW5nLWtleSE=';
const DEMO_API_KEY_PREFIX = 'po_test_demo';

/** Reads and checks the whole configuration at once, relations between settings included. Throws ConfigError. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const config = parse(env);
  const lease = leaseProblem(config);
  if (lease !== null) throw new ConfigError(lease);
  if (keepsKeys(config) && config.visibilityWindowMs >= config.processorKeyWindowMs / 2) {
    throw new ConfigError('VISIBILITY_WINDOW_MS must be less than half of PROCESSOR_KEY_WINDOW_MS');
  }
  if (buildKind === 'production') refuseDemoSecrets(env);
  else if (config.stripeSecretKey.startsWith('sk_live_')) {
    throw new ConfigError(
      'STRIPE_SECRET_KEY: a live key needs the production build (npm run build)',
    );
  }
  return Object.freeze(config);
}

/** The connection of a service: the application's role, or the owner's where there is no other. */
export function serviceDatabaseUrl({ appDatabaseUrl, databaseUrl }: Config): string {
  const address = appDatabaseUrl ?? databaseUrl;
  if (address === null) throw new ConfigError('APP_DATABASE_URL or DATABASE_URL must be set');
  return address;
}

/** Which processor the services talk to: one must be named, none is guessed. */
export function requireProcessor({ processorName, stripeSecretKey }: Config): void {
  if (processorName === 'stripe' && stripeSecretKey === DEMO_STRIPE_KEY) {
    throw new ConfigError(
      'STRIPE_SECRET_KEY (for Stripe) or STRIPE_API_BASE (for the mock) must be set',
    );
  }
}

function parse(env: NodeJS.ProcessEnv) {
  const processor = env['STRIPE_API_BASE'] ? 'mock' : 'stripe';
  const mockPort = port(env, 'MOCK_PORT', 3001);
  const stripeApiBase = url(env, 'STRIPE_API_BASE', ['http:', 'https:']);
  return {
    databaseUrl: url(env, 'DATABASE_URL', ['postgres:', 'postgresql:']),
    appDatabaseUrl: url(env, 'APP_DATABASE_URL', ['postgres:', 'postgresql:']),
    maintenanceDatabaseUrl: url(env, 'MAINTENANCE_DATABASE_URL', ['postgres:', 'postgresql:']),
    sessionDatabaseUrl: url(env, 'SESSION_DATABASE_URL', ['postgres:', 'postgresql:']),
    host: env['HOST'] || '127.0.0.1',
    port: port(env, 'PORT', 3000),
    mockHost: env['MOCK_HOST'] || '127.0.0.1',
    mockPort,
    processorName: processor,
    stripeSecretKey: env['STRIPE_SECRET_KEY'] || DEMO_STRIPE_KEY,
    stripeApiBase,
    stripeWebhookSecrets: secrets(env, 'STRIPE_WEBHOOK_SECRET', DEMO_WEBHOOK_SECRET),
    mockWebhookUrl: url(env, 'MOCK_WEBHOOK_URL', ['http:', 'https:']),
    processorTimeoutMs: integer(env, 'PROCESSOR_TIMEOUT_MS', 5_000, 100, 60_000),
    processorKeyWindowMs: keyWindow(env),
    visibilityWindowMs: integer(
      env,
      'VISIBILITY_WINDOW_MS',
      processor === 'mock' ? 10_000 : 120_000,
      0,
      3_600_000,
    ),
    leaseMs: integer(env, 'LEASE_MS', 30_000, 1_000, 3_600_000),
    recoveryTriesMax: integer(env, 'RECOVERY_TRIES_MAX', 8, 1, 100),
    accountInFlightMax: integer(env, 'ACCOUNT_IN_FLIGHT_MAX', 200, 1, 100_000),
    accountNewKeysPerMinute: integer(env, 'ACCOUNT_NEW_KEYS_PER_MINUTE', 60_000, 1, 10_000_000),
    orderOnce: choice(env, 'ORDER_ONCE', ['true', 'false'], 'true') === 'true',
    lateSuccessPolicy: choice(env, 'LATE_SUCCESS_POLICY', ['review', 'refund'], 'review'),
    recoverySince: instant(env, 'RECOVERY_SINCE'),
    answersDays: integer(env, 'ANSWERS_DAYS', 7, 7, 3_650),
    ledgerSigningKeys: signingKeys(env),
    settlementWindowHours: integer(
      env,
      'SETTLEMENT_WINDOW_HOURS',
      processor === 'mock' ? 0 : 48,
      0,
      24 * 30,
    ),
    logLevel: choice(env, 'LOG_LEVEL', LOG_LEVELS, 'info'),
  };
}

function refuseDemoSecrets(env: NodeJS.ProcessEnv): void {
  if (!env['STRIPE_SECRET_KEY'] || env['STRIPE_SECRET_KEY'] === DEMO_STRIPE_KEY) {
    throw new ConfigError('STRIPE_SECRET_KEY: the production build needs a key of its own');
  }
  if (secrets(env, 'STRIPE_WEBHOOK_SECRET', DEMO_WEBHOOK_SECRET).includes(DEMO_WEBHOOK_SECRET)) {
    throw new ConfigError('STRIPE_WEBHOOK_SECRET: the production build needs a secret of its own');
  }
  if (secrets(env, 'LEDGER_SIGNING_KEY', DEMO_LEDGER_KEY).includes(DEMO_LEDGER_KEY)) {
    throw new ConfigError('LEDGER_SIGNING_KEY: the production build needs a key of its own');
  }
  if (env['PAYONCE_DEMO_KEY']?.startsWith(DEMO_API_KEY_PREFIX)) {
    throw new ConfigError('PAYONCE_DEMO_KEY: the production build refuses the demo API key');
  }
  if (env['FAILPOINTS'])
    throw new ConfigError('FAILPOINTS: the production build has no failpoints');
}

/** One secret, or several while one takes over from another. The values are not shown. */
function secrets(env: NodeJS.ProcessEnv, name: string, byDefault: string): string[] {
  const found = (env[name] || byDefault).split(',').map((secret) => secret.trim());
  if (found.includes('')) throw new ConfigError(`${name} holds an empty secret`);
  return found;
}

function signingKeys(env: NodeJS.ProcessEnv): SigningKeys {
  const name = 'LEDGER_SIGNING_KEY';
  try {
    return readSigningKeys(secrets(env, name, DEMO_LEDGER_KEY));
  } catch (error) {
    throw new ConfigError(`${name}: ${(error as Error).message}`);
  }
}

/** 0 for a processor that keeps no keys; a window in between would be over before a run is. */
function keyWindow(env: NodeJS.ProcessEnv): number {
  const name = 'PROCESSOR_KEY_WINDOW_MS';
  if (env[name] === '0') return 0;
  return integer(env, name, 86_400_000, 60_000, 30 * 86_400_000);
}

function integer(
  env: NodeJS.ProcessEnv,
  name: string,
  byDefault: number,
  min: number,
  max: number,
): number {
  const text = env[name];
  if (text === undefined || text === '') return byDefault;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) {
    throw new ConfigError(`${name} must be a whole number from ${min} to ${max}; it is "${text}"`);
  }
  return value;
}

function port(env: NodeJS.ProcessEnv, name: string, byDefault: number): number {
  return integer(env, name, byDefault, 0, 65_535);
}

function choice<T extends string>(
  env: NodeJS.ProcessEnv,
  name: string,
  choices: readonly T[],
  byDefault: T,
): T {
  const text = env[name];
  if (text === undefined || text === '') return byDefault;
  const found = choices.find((candidate) => candidate === text);
  if (found === undefined)
    throw new ConfigError(`${name} must be one of ${choices.join(', ')}; it is "${text}"`);
  return found;
}

/** RFC 3339, with its offset: a time of day alone would be another instant on each machine. */
function instant(env: NodeJS.ProcessEnv, name: string): Date | null {
  const text = env[name];
  if (text === undefined || text === '') return null;
  const form = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;
  const read = form.test(text) ? new Date(text.replace(' ', 'T').toUpperCase()) : new Date(NaN);
  if (Number.isNaN(read.getTime())) {
    const example = '2026-03-01T12:00:00Z';
    throw new ConfigError(`${name} must be an instant such as ${example}; it is "${text}"`);
  }
  return read;
}

function url(env: NodeJS.ProcessEnv, name: string, protocols: string[]): string | null {
  const text = env[name];
  if (text === undefined || text === '') return null;
  const parsed = URL.canParse(text) ? new URL(text) : null;
  // The value is not shown: it may hold a password.
  if (parsed === null || !protocols.includes(parsed.protocol)) {
    throw new ConfigError(`${name} must be a URL that starts with ${protocols.join(' or ')}//`);
  }
  if (!isDecodable(text)) throw new ConfigError(`${name}: a % in it has to be written as %25`);
  return text;
}

/** The driver would fail on a `%` that begins no code, without a word about the setting. */
function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== '';
  } catch {
    return false;
  }
}
