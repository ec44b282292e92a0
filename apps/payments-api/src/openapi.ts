import type { FastifyReply } from 'fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Config } from '#platform/config.js';
import { EXTRA_MODELS } from './payments.openapi.js';

/** The contract: `/openapi.json` for machines, `/docs` for people. The window of a key is part of it. */
export function serveOpenApi(app: NestFastifyApplication, config: Config): OpenAPIObject {
  const info = new DocumentBuilder()
    .setTitle('Payonce')
    .setVersion('1')
    .setDescription(describe(config))
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      description: 'An API key: po_test_… or po_live_…',
    })
    .build();
  const document = SwaggerModule.createDocument(app, info, { extraModels: EXTRA_MODELS });
  app
    .getHttpAdapter()
    .get('/', (_request: unknown, response: FastifyReply) => response.redirect('/docs'));
  SwaggerModule.setup('docs', app, document, {
    customSiteTitle: 'Payonce API',
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
  });
  return document;
}

function describe({ answersDays }: Config): string {
  return [
    'A payments API that never charges twice for one intent and never loses a payment that was charged.',
    'Send an `Idempotency-Key` with every request that moves money, and the same key with every retry. ' +
      'A retry of a finished request gets the same status and the same bytes, marked `Idempotent-Replayed: true`.',
    `An answer is kept for ${answersDays} days after it was made. A later retry gets 409 ` +
      '[`idempotency_key_expired`](/docs/problems/idempotency_key_expired) with the id of the payment: the key ' +
      'itself is never forgotten, and is never charged again.',
    'Every problem is `application/problem+json`; its `type` is the path of a page that says what to do.',
  ].join('\n\n');
}
