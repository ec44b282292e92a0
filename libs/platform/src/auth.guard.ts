import { type CanActivate, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import type { Scope } from '#accounts/manage-api-keys.js';
import type { Authenticator, Caller } from './authenticator.js';
import { ProblemError } from './problem-error.js';

const SCOPE = 'scope';

/** The right that a route needs. A route without it is open to everyone. */
export const NeedsScope = (scope: Scope) => SetMetadata(SCOPE, scope);

declare module 'fastify' {
  interface FastifyRequest {
    caller?: Caller;
  }
}

/** Who may pass. It runs before a body is parsed, a key is read or anything is looked up. @keeps P8 */
export class AuthGuard implements CanActivate {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const scope = this.reflector.getAllAndOverride<Scope | undefined>(SCOPE, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (scope === undefined) return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const caller = await this.authenticator.authenticate(request.raw.rawHeaders);
    if (caller === null) throw new ProblemError({ code: 'unauthenticated' });
    request.caller = caller;
    request.facts.accountId = caller.accountId;
    if (!caller.scopes.includes(scope)) {
      throw new ProblemError({
        code: 'forbidden',
        detail: `This API key lacks the scope ${scope}.`,
      });
    }
    return true;
  }
}

/** The caller of a route that needs a scope. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === undefined) throw new Error('Bug: an open route asks for its caller');
  return request.caller;
}
