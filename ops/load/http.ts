import { Agent, request } from 'undici';
import type { Metrics, Tags } from './metrics.js';

/** The part of `k6/http` that a script with `asyncRequest` needs, over one pool of connections. */
export type Params = { headers?: Record<string, string>; tags?: Tags; timeout?: string | number };

type Answer = {
  url: string;
  status: number;
  status_text: string;
  headers: Record<string, string>;
  body: string;
  error: string;
  timings: { duration: number };
  json(path?: string): unknown;
};
type Expected = (status: number) => boolean;

export class HttpClient {
  private readonly agent = new Agent({
    pipelining: 1,
    connections: null,
    keepAliveTimeout: 30_000,
  });
  private expected: Expected = (status) => status >= 200 && status < 400;

  constructor(private readonly metrics: Metrics) {}

  /** The module for one virtual user; `tagsNow` are the tags that its samples carry at that moment. */
  moduleFor(tagsNow: () => Tags): Record<string, unknown> {
    const asyncRequest = (method: string, url: string, body?: string | null, params?: Params) =>
      this.send(method, url, body ?? null, params ?? {}, tagsNow());
    const module: Record<string, unknown> = {
      asyncRequest,
      expectedStatuses: (...accepted: (number | { min: number; max: number })[]) =>
        expectation(accepted),
      setResponseCallback: (expected: Expected) => void (this.expected = expected),
    };
    for (const name of [
      'get',
      'post',
      'put',
      'patch',
      'del',
      'head',
      'options',
      'request',
      'batch',
    ]) {
      module[name] = () => {
        throw new Error(
          `http.${name}() would block every other virtual user: await http.asyncRequest()`,
        );
      };
    }
    return { ...module, default: module };
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }

  /** Never throws for what a network can do: as in k6, the status is then 0. */
  private async send(
    method: string,
    url: string,
    body: string | null,
    params: Params,
    vuTags: Tags,
  ): Promise<Answer> {
    const started = performance.now();
    const answer = {
      url,
      status: 0,
      status_text: '',
      headers: {} as Record<string, string>,
      body: '',
      error: '',
    };
    try {
      const timeoutMs = milliseconds(params.timeout ?? '60s');
      const headers = params.headers ?? {};
      const signal = AbortSignal.timeout(timeoutMs);
      const sent = await request(url, { method, headers, body, signal, dispatcher: this.agent });
      answer.status = sent.statusCode;
      answer.body = await sent.body.text();
      for (const [name, value] of Object.entries(sent.headers))
        answer.headers[canonical(name)] = [value].flat().join(', ');
    } catch (error) {
      answer.status = 0;
      answer.error = error instanceof Error ? error.message : String(error);
    }
    const duration = performance.now() - started;
    const ok = answer.error === '' && this.expected(answer.status);
    const tags = {
      name: url,
      method,
      status: String(answer.status),
      expected_response: String(ok),
      ...vuTags,
      ...params.tags,
    };
    this.metrics.add('counter', 'http_reqs', 1, tags);
    this.metrics.add('trend', 'http_req_duration', duration, tags);
    this.metrics.add('rate', 'http_req_failed', ok ? 0 : 1, tags);
    return {
      ...answer,
      timings: { duration },
      json: (path) => select(JSON.parse(answer.body), path),
    };
  }
}

/** `90s`, `1m30s`, `250ms`, or a number of milliseconds. */
export function milliseconds(text: string | number): number {
  if (typeof text === 'number') return text;
  const units: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
  const parts = [...text.matchAll(/([\d.]+)(ms|s|m|h)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) {
    throw new Error(`"${text}" is no duration, such as 30s or 1m30s`);
  }
  return parts.reduce((sum, [, value, unit = 's']) => sum + Number(value) * (units[unit] ?? 0), 0);
}

function expectation(accepted: (number | { min: number; max: number })[]): Expected {
  return (status) =>
    accepted.some((item) =>
      typeof item === 'number' ? item === status : item.min <= status && status <= item.max,
    );
}

/** k6 spells header names as Go does: `content-type` becomes `Content-Type`. */
function canonical(name: string): string {
  return name.toLowerCase().replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

/** `a.b` of the parsed body; k6's longer selectors are not spoken here. */
function select(value: unknown, path: string | undefined): unknown {
  if (path === undefined) return value;
  return path
    .split('.')
    .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], value);
}
