import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '#testing/http.js';
import { type System, startSystem } from '#testing/system.js';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
const ID = '01a233e6-aba2-79be-9656-082ea888f483';

const commands = [...PAGE.matchAll(/```sh\n(curl [\s\S]*?)```/g)].map(([, text = '']) => ({
  method: text.includes('-X POST') ? 'POST' : 'GET',
  path: /\$PAYONCE([^"]*)"/.exec(text)?.[1]?.replaceAll(/\$\w+/g, ID) ?? '',
  body: /-d '([^']*)'/.exec(text)?.[1]?.replace('…', '1'),
}));

describe('the page for operators', () => {
  let system: System;
  let ann: ApiClient;
  beforeAll(async () => {
    system = await startSystem();
    ann = await system.newOperator('Ann');
  });
  afterAll(() => system.close());

  it('shows a command for each route of theirs', async () => {
    const { paths } = (await ann.get('/openapi.json')).json;
    const routes = Object.keys(paths).filter((path) =>
      /^\/v1\/operations\/(r|inbox|a|b)/.test(path),
    );
    const shown = commands.map(({ path }) => path.split('?')[0]);
    const missing = routes.filter((route) => !shown.includes(route.replaceAll(/\{\w+\}/g, ID)));
    expect(missing).toEqual([]);
  });

  it.each(commands)('$method $path takes $body', async ({ method, path, body }) => {
    const answer = await ann.send(method, path, {
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body }),
    });
    // Of the operation and the event that the page only names there is none here.
    expect([200, 404], answer.text).toContain(answer.status);
    expect(answer.json.detail ?? '').not.toContain('No route');
  });
});
