import type { FastifyInstance } from 'fastify';

/** Notes every route as it is registered; the returned function tells which methods a path answers to. */
export function allowedMethods(fastify: FastifyInstance): (path: string) => string[] {
  const routes: { pattern: RegExp; method: string }[] = [];
  fastify.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return;
    const pattern = new RegExp(
      `^${url.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/:[^/]+/g, '[^/]+')}$`,
    );
    for (const name of [method].flat()) routes.push({ pattern, method: name });
  });
  return (path) => [
    ...new Set(routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)),
  ];
}
