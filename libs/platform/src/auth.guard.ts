import { type CanActivate, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { OPERATOR_SCOPE, type Scope } from '#accounts/manage-api-keys.js';
import type { AccountCaller, Authenticator, Caller, OperatorCaller } from './authenticator.js';
import { ProblemError } from './problem-error.js';

const SCOPE = 'scope';
const OPERATORS_READ = 'operators_read';

/** The right that a route needs. A route without it is open to everyone. */
export const NeedsScope = (scope: Scope | typeof OPERATOR_SCOPE) => SetMetadata(SCOPE, scope);

/** Operators may read here too, of every account of their mode. The route asks `readerOf` who reads. */
export const OperatorsRead = () => SetMetadata(OPERATORS_READ, true);

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
    const scope = this.#metadata<Scope | typeof OPERATOR_SCOPE>(context, SCOPE);
    if (scope === undefined) return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const caller = await this.authenticator.authenticate(request.raw.rawHeaders);
    if (caller === null) throw new ProblemError({ code: 'unauthenticated' });
    request.caller = caller;
    const why =
      caller.kind === 'operator'
        ? this.#whyNotOperator(context, request, caller, scope)
        : whyNotAccount(request, caller, scope);
    if (why !== null) throw new ProblemError({ code: 'forbidden', detail: why });
    return true;
  }

  /** An operator acts on the routes of operators, and reads those that say so. Whatever else there is moves money for an account. */
  #whyNotOperator(
    context: ExecutionContext,
    request: FastifyRequest,
    { operator }: OperatorCaller,
    scope: Scope | typeof OPERATOR_SCOPE,
  ): string | null {
    request.facts.operator = operator;
    if (scope === OPERATOR_SCOPE) return null;
    const mayRead = this.#metadata<boolean>(context, OPERATORS_READ) === true;
    return mayRead && scope === 'payments:read' ? null : OPERATORS_ELSEWHERE;
  }

  #metadata<T>(context: ExecutionContext, name: string): T | undefined {
    return this.reflector.getAllAndOverride<T | undefined>(name, [
      context.getHandler(),
      context.getClass(),
    ]);
  }
}

const OPERATORS_ELSEWHERE =
  "An operator's API key acts on /v1/operations and reads payments, refunds, timelines and the ledger; " +
  'for anything else an account has keys of its own.';

function whyNotAccount(
  request: FastifyRequest,
  { accountId, scopes }: AccountCaller,
  scope: Scope | typeof OPERATOR_SCOPE,
): string | null {
  request.facts.accountId = accountId;
  if (scope === OPERATOR_SCOPE) {
    return "/v1/operations is for operators; this API key is an account's.";
  }
  return scopes.includes(scope) ? null : `This API key lacks the scope ${scope}.`;
}

/** The account that calls a route which operators do not pass. */
export function callerOf(request: FastifyRequest): AccountCaller {
  const caller = readerOf(request);
  if (caller.kind !== 'account') throw new Error('Bug: an operator passed a route of accounts');
  return caller;
}

/** The operator who calls a route under /v1/operations. */
export function operatorOf(request: FastifyRequest): OperatorCaller {
  const caller = readerOf(request);
  if (caller.kind !== 'operator') throw new Error('Bug: an account passed a route of operators');
  return caller;
}

/** Whoever calls a route that both may read. */
export function readerOf(request: FastifyRequest): Caller {
  if (request.caller === undefined) throw new Error('Bug: an open route asks for its caller');
  return request.caller;
}
