// @node-idempotency/nestjs as its README has it: the module with the memory adapter, and handlers that are
// `@Idempotent`. `enforceIdempotency`, which is off by default, is on: payments want a key. Without a compiler
// the decorators are called by hand; that changes nothing.
import 'reflect-metadata';
import { Controller, Get, HttpException, Module, Post } from '@nestjs/common';
import { Body, Inject, Param, Req } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Idempotent, NodeIdempotencyModule } from '@node-idempotency/nestjs';
import { Limiter, Payments, Refused, accountOf } from '../payments.mjs';

class PaymentsController {
  constructor(payments) {
    this.payments = payments;
  }
  charge(request, body) {
    return asHttp(this.payments.charge(request.account, body));
  }
  refund(request, id, body) {
    return asHttp(this.payments.refund(request.account, id, body));
  }
  list(request) {
    return { payments: this.payments.list(request.account) };
  }
}
Inject(Payments)(PaymentsController, undefined, 0);
Controller('payments')(PaymentsController);
decorate('charge', [Post(), Idempotent()], [Req(), Body()]);
decorate('refund', [Post(':id/refunds'), Idempotent()], [Req(), Param('id'), Body()]);
decorate('list', [Get()], [Req()]);

const limiter = new Limiter();

class AppModule {
  configure(consumer) {
    consumer.apply(admit).forRoutes('*');
  }
}
Module({
  imports: [
    NodeIdempotencyModule.forRootAsync({
      storage: { adapter: 'memory' },
      enforceIdempotency: true,
    }),
  ],
  controllers: [PaymentsController],
  providers: [Payments],
})(AppModule);

const app = await NestFactory.create(AppModule, { logger: ['error'] });
await app.listen(0, '127.0.0.1');
console.log(`listening ${app.getHttpServer().address().port}`);
process.on('disconnect', () => process.exit());

/** Who it is, and whether that account has room: before the interceptor, as guards are. */
function admit(request, response, next) {
  request.account = accountOf(request.headers.authorization);
  if (request.account === null) return response.status(401).json({ error: 'Who are you?' });
  if (request.method !== 'POST') return next();
  const leave = limiter.enter(request.account);
  if (leave === null) return response.status(429).json({ error: 'Too many at once.' });
  response.once('close', leave);
  return next();
}

function decorate(name, decorators, parameters) {
  const { prototype } = PaymentsController;
  parameters.forEach((parameter, at) => parameter(prototype, name, at));
  const descriptor = Object.getOwnPropertyDescriptor(prototype, name);
  for (const decorator of decorators) decorator(prototype, name, descriptor);
}

async function asHttp(made) {
  try {
    return await made;
  } catch (error) {
    throw error instanceof Refused
      ? new HttpException({ error: error.message }, error.status)
      : error;
  }
}
