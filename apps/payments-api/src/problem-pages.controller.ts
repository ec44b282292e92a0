import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { marked } from 'marked';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Core } from '#platform/core.js';
import { ProblemError } from '#platform/problem-error.js';
import { problemPath } from '#problems/problems.js';
import { PROBLEMS } from '#problems/registry.js';

const CODES = Object.keys(PROBLEMS) as (keyof typeof PROBLEMS)[];

/** Serves the page behind each problem's `type`: HTML for browsers, Markdown for everybody else. */
@ApiExcludeController()
@Controller('docs/problems')
export class ProblemPagesController {
  readonly #pages = new Map<string, string>();

  constructor(core: Core) {
    const folder = pagesFolder();
    for (const code of CODES) {
      const page = readFileSync(join(folder, `${code}.md`), 'utf8');
      this.#pages.set(
        code,
        page.replace('7 by default', `${core.config.answersDays} on this server`),
      );
    }
    const rows = CODES.map(
      (code) => `- [\`${code}\`](${problemPath(code)}): ${PROBLEMS[code].title}`,
    );
    this.#pages.set('', `# Problems\n\n${rows.join('\n')}\n`);
  }

  @Get()
  async index(@Req() request: FastifyRequest, @Res() response: FastifyReply): Promise<void> {
    await this.#send(request, response, '');
  }

  @Get(':code')
  async page(
    @Req() request: FastifyRequest,
    @Res() response: FastifyReply,
    @Param('code') code: string,
  ): Promise<void> {
    await this.#send(request, response, code);
  }

  async #send(request: FastifyRequest, response: FastifyReply, code: string): Promise<void> {
    const page = this.#pages.get(code);
    if (page === undefined) throw new ProblemError({ code: 'not_found' });
    const html = request.headers.accept?.includes('text/html') ?? false;
    response.header('vary', 'accept');
    if (html) await response.type('text/html; charset=utf-8').send(htmlOf(page, code));
    else await response.type('text/markdown; charset=utf-8').send(page);
  }
}

function htmlOf(page: string, code: string): string {
  const body = marked.parse(page, { async: false });
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>${code || 'Problems'} · Payonce</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a}
pre{background:#f4f4f5;padding:1rem;overflow:auto}code{font-size:.9em}table{border-collapse:collapse}
td,th{border:1px solid #ddd;padding:.3rem .6rem;text-align:left}
@media(prefers-color-scheme:dark){body{background:#16181c;color:#e6e6e6}pre{background:#22252b}a{color:#7db7ff}}
</style></head><body>${body}</body></html>`;
}

/** `docs/problems/` at the top of the repository or image, from the sources and from a build alike. */
function pagesFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'docs', 'problems'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('docs/problems is not beside the program');
    folder = parent;
  }
  return join(folder, 'docs', 'problems');
}
