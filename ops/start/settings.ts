import { type Config, ConfigError, DEMO_STRIPE_KEY, readConfig } from '#platform/config.js';
import { choosePort } from './ports.js';

export interface StartSettings {
  apiPort: number;
  mockPort: number;
  /** Where this machine reaches the two. */
  apiUrl: string;
  /** Null when the environment names a processor of its own: Stripe, or another address. */
  mockUrl: string | null;
  answersDays: number;
}

/** Checks the whole configuration before anything starts. Throws ConfigError, which names the variable. */
export async function readStartSettings(
  env: NodeJS.ProcessEnv,
  fresh: boolean,
): Promise<StartSettings> {
  const usesMock = !env['STRIPE_API_BASE'] && isDemoKey(env['STRIPE_SECRET_KEY']);
  const mockAddress = usesMock ? { STRIPE_API_BASE: 'http://127.0.0.1' } : {};
  const config: Config = readConfig({ ...env, ...mockAddress });
  if (fresh && config.databaseUrl !== null) {
    throw new ConfigError('--fresh empties the embedded database alone, and DATABASE_URL is set.');
  }
  const mockPort = await choosePort({
    variable: 'MOCK_PORT',
    service: 'mock-processor',
    host: config.mockHost,
    port: config.mockPort,
    asked: Boolean(env['MOCK_PORT']),
  });
  const apiPort = await choosePort({
    variable: 'PORT',
    service: 'payments-api',
    host: config.host,
    port: config.port,
    asked: Boolean(env['PORT']),
    except: mockPort,
  });
  return {
    apiPort,
    mockPort,
    apiUrl: addressOf(config.host, apiPort),
    mockUrl: usesMock ? addressOf(config.mockHost, mockPort) : null,
    answersDays: config.answersDays,
  };
}

function isDemoKey(key: string | undefined): boolean {
  return !key || key === DEMO_STRIPE_KEY;
}

function addressOf(host: string, port: number): string {
  const everywhere = host === '0.0.0.0' || host === '::';
  const name = everywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
