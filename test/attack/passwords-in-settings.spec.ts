import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '#platform/config.js';
import { redact } from '#problems/redact.js';

const PASSWORD = 'hush-hush';

describe('a password in a setting that is wrong', () => {
  it.each([
    ['APP_DATABASE_URL', `postgres://me:${PASSWORD}%@127.0.0.1/db`],
    ['APP_DATABASE_URL', `postgres://me:${PASSWORD}#@127.0.0.1/db`],
    ['APP_DATABASE_URL', `mysql://me:${PASSWORD}@127.0.0.1/db`],
    ['PORT', `postgres://me:${PASSWORD}@127.0.0.1/db`],
  ])('is not said with the name of %s: %s', (name, value) => {
    let said: unknown;
    try {
      readConfig({ [name]: value });
    } catch (error) {
      said = error;
    }
    expect(said).toBeInstanceOf(ConfigError);
    const line = redact((said as ConfigError).message); // as the service says it
    expect(line).toContain(name);
    expect(line).not.toContain(PASSWORD);
  });
});
