import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { receiveEvent } from '#events/receive-event.js';
import { Core } from '#platform/core.js';
import { ProblemError } from '#platform/problem-error.js';
import { type ProcessorEvent, readProcessorEvent } from '#processor/processor-event.js';
import { isSignedBy } from '#processor/webhook-signature.js';
import { parseBody } from './read-request.js';
import { DescribeWebhook } from './webhooks.openapi.js';

/** News from the card processor. Its signature is its credential: there is no API key. */
@Controller('webhooks')
export class WebhooksController {
  constructor(private readonly core: Core) {}

  /** 200 says that the event is stored; what it means is found out later, by the worker. */
  @Post('stripe')
  @HttpCode(200)
  @DescribeWebhook()
  async receive(@Req() request: FastifyRequest): Promise<object> {
    const { deps } = this.core;
    this.#checkSignature(request);
    const receipt = await receiveEvent(deps, deps.processor.name, readEvent(request));
    if (receipt.kind === 'reused') throw new ProblemError({ code: 'event_id_reused' });
    return { received: true };
  }

  /** Before anything is parsed: what nobody we know has signed is not worth a parser's time. */
  #checkSignature(request: FastifyRequest): void {
    const { config, deps } = this.core;
    const [header, ...more] = signaturesIn(request.raw.rawHeaders);
    const nowSeconds = Math.floor(deps.clock.wallMs() / 1_000);
    const isSigned =
      header !== undefined &&
      more.length === 0 &&
      isSignedBy(config.stripeWebhookSecrets, header, bytesOf(request), nowSeconds);
    if (!isSigned) throw new ProblemError({ code: 'webhook_signature_invalid' });
  }
}

function readEvent(request: FastifyRequest): ProcessorEvent {
  const bytes = bytesOf(request);
  const event = readProcessorEvent(parseBody(bytes), bytes.toString('utf8'));
  if (event !== null) return event;
  const detail = 'The body is signed, but it is not an event.';
  throw new ProblemError({ code: 'validation_failed', detail });
}

function bytesOf(request: FastifyRequest): Buffer {
  return (request.body as Buffer | undefined) ?? Buffer.alloc(0);
}

/** From Node's raw list: it would join two headers of this name into one. */
function signaturesIn(rawHeaders: readonly string[]): string[] {
  const isNamed = (_: string, at: number) =>
    at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'stripe-signature';
  return rawHeaders.filter(isNamed);
}
