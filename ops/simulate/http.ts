import type { ArgumentsHost } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ProblemFilter } from '#platform/problem.filter.js';
import type { AccountCaller } from '#platform/authenticator.js';
import type { Logger } from '#platform/logging.js';

/** A request as a client sends it. */
export type Request = {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body: string;
};

/** What a client hears. */
export type Response = { status: number; headers: Record<string, string>; text: string };

/** Answers a request as the API does, from a controller's method on: the way there is the framework's. */
export async function answer(
  { method, path, headers, body }: Request,
  { id, caller, log }: { id: string; caller: AccountCaller | null; log: Logger },
  handle: (request: FastifyRequest, response: FastifyReply) => Promise<unknown>,
): Promise<Response> {
  const heard: Response = { status: 200, headers: {}, text: '' };
  const request = {
    id,
    method,
    url: path,
    headers: Object.fromEntries(Object.entries(headers).map(([n, v]) => [n.toLowerCase(), v])),
    raw: { rawHeaders: Object.entries(headers).flat(), socket: { writable: true } },
    body: Buffer.from(body),
    facts: { contentType: headers['Content-Type'] },
    ...(caller === null ? {} : { caller }),
  } as unknown as FastifyRequest;
  const response = responseInto(heard);
  try {
    const returned = await handle(request, response);
    if (returned !== undefined && heard.text === '') heard.text = JSON.stringify(returned);
  } catch (error) {
    const host = {
      switchToHttp: () => ({ getRequest: () => request, getResponse: () => response }),
    } as unknown as ArgumentsHost;
    new ProblemFilter(log, () => []).catch(error, host);
  }
  return heard;
}

function responseInto(heard: Response): FastifyReply {
  const response = {
    code: (status: number) => {
      heard.status = status;
      return response;
    },
    header: (name: string, value: string) => {
      heard.headers[name] = value;
      return response;
    },
    headers: (more: Record<string, string>) => {
      Object.assign(heard.headers, more);
      return response;
    },
    send: (bytes: Buffer | string) => {
      heard.text = bytes.toString();
      return response;
    },
  };
  return response as unknown as FastifyReply;
}
