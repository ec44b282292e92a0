import { type Config, ConfigError, DEMO_STRIPE_KEY, readConfig } from '#platform/config.js';
import { choosePort } from './ports.js';

export interface StartSettings {
  apiPort: number;
  mockPort: number;
  /** False when the environment names a processor of its own: Stripe, or another address. */
  usesMock: boolean;
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
    port: config.mockPort,
    asked: Boolean(env['MOCK_PORT']),
  });
  const apiPort = await choosePort({
    variable: 'PORT',
    service: 'payments-api',
    port: config.port,
    asked: Boolean(env['PORT']),
    except: mockPort,
  });
  return { apiPort, mockPort, usesMock };
}

function isDemoKey(key: string | undefined): boolean {
  return !key || key === DEMO_STRIPE_KEY;
}
