import { freePort, isFree } from '#embedded/free-port.js';
import { say } from './say.js';

/** A setting that stands in the way, in a sentence for the person who set it. */
export class SettingError extends Error {}

const NEIGHBOURS = 100;

/**
 * The port that a service will listen on. A port that somebody asked for is taken or refused; only
 * the default gives way to the next free one.
 */
export async function choosePort(options: {
  variable: 'PORT' | 'MOCK_PORT';
  service: string;
  fallback: number;
  env: NodeJS.ProcessEnv;
  except?: number;
}): Promise<number> {
  const { variable, service, fallback, env, except } = options;
  const wanted = askedFor(env, variable);
  if (wanted === 0) return freePort();
  if (wanted !== undefined) {
    if (wanted !== except && (await isFree(wanted))) return wanted;
    throw new SettingError(
      `${variable}=${wanted} is taken by another process. Stop that one, or set ${variable} to another port.`,
    );
  }
  for (let port = fallback; port < fallback + NEIGHBOURS; port += 1) {
    if (port === except || !(await isFree(port))) continue;
    if (port !== fallback)
      say(`Port ${fallback} is taken, so ${service} uses ${port} (${variable} chooses another).`);
    return port;
  }
  return freePort();
}

function askedFor(env: NodeJS.ProcessEnv, variable: string): number | undefined {
  const text = env[variable];
  if (text === undefined || text === '') return undefined;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new SettingError(`${variable}=${text} is not a port: a whole number from 0 to 65535.`);
}
