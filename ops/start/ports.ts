import { freePort, isFree } from '#embedded/free-port.js';
import { ConfigError } from '#platform/config.js';
import { say } from './say.js';

const NEIGHBOURS = 100;

/**
 * The port that a service will listen on. A port that somebody asked for is taken or refused; only
 * the default gives way to the next free one.
 */
export async function choosePort(options: {
  variable: 'PORT' | 'MOCK_PORT';
  service: string;
  host: string;
  /** The configured value, or the default. */
  port: number;
  /** Whether somebody asked for it. */
  asked: boolean;
  except?: number;
}): Promise<number> {
  const { variable, service, host, port: wanted, asked, except } = options;
  if (wanted === 0) return freePort(0, host);
  if (asked) {
    if (wanted !== except && (await isFree(wanted, host))) return wanted;
    throw new ConfigError(
      `${variable}=${wanted} is taken by another process. Stop that one, or set ${variable} to another port.`,
    );
  }
  for (let port = wanted; port < wanted + NEIGHBOURS; port += 1) {
    if (port === except || !(await isFree(port, host))) continue;
    if (port !== wanted) {
      say(`Port ${wanted} is taken, so ${service} uses ${port} (${variable} chooses another).`);
    }
    return port;
  }
  return freePort(0, host);
}
