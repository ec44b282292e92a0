import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Ask, Call, Created, SettledAdapter } from './adapter.js';
import { bodyOf, membersOf, type Members } from './body.js';
import { NotApplicable, Red } from './check.js';
import { Crowd } from './burst.js';
import { sendOnWire, type Answer, type Body, type Credential, type Cut } from './wire.js';
import type { Headers, Sent } from './wire.js';

export type Exchange = { request: Sent; answer: Answer | null; lost?: string };
export type Keys = { key: string; otherKey?: string; rotatedKey?: string };
export type Target = {
  url: string;
  adapter: SettledAdapter;
  keys: Keys;
  patienceMs: number;
  /** How long a retried request may take to get its final answer. */
  settleMs: number;
  processes: number;
};
/** What the service may hold in the end, for the count that closes the run. */
export type Owed = { check: string; marker: string; credential: Credential; effects: number };
/** What the checks of a run share. */
export type Shared = {
  id: string;
  next: number;
  owed: Owed[];
  /** Started by the first burst, ended with the run. */
  crowd: Crowd | null;
};
export type Intent = { marker: string; key: string };

export type Options = {
  credential?: Credential;
  /** In the place of the call's own. */
  body?: Body | Members;
  /** In the place of the line with the key. */
  keyLines?: Headers;
  headers?: Record<string, string>;
  cut?: Cut;
  remark?: string;
};

/** What a check works with: it sends, keeps what it saw, and counts what the service holds. */
export class Bench {
  readonly exchanges: Exchange[] = [];
  #remembered: Map<string, ReturnType<Ask>> | null = null;

  constructor(
    readonly target: Target,
    private readonly run: Shared,
    private readonly check: string,
  ) {}

  get adapter(): SettledAdapter {
    return this.target.adapter;
  }

  /** A marker and a key that nothing else has. */
  intent(): Intent {
    this.run.next += 1;
    const marker = `${this.run.id}-${this.run.next}`;
    return { marker, key: `key-${marker}-${randomBytes(6).toString('hex')}` };
  }

  /** What the adapter may lack, or a check that does not apply. */
  need<T>(part: T | undefined, what: string): T {
    if (part === undefined) throw new NotApplicable(`the adapter does not tell ${what}`);
    return part;
  }

  /** Sends, and is red when no answer comes. */
  async send(call: Call, key: string, options: Options = {}): Promise<Answer> {
    const { answer, lost } = await this.exchange(call, key, options);
    if (answer === null) throw new Red(`no answer came: ${lost ?? 'unknown'}`);
    return answer;
  }

  /** Sends; the client may hang up, and the answer may be missing. */
  async exchange(call: Call, key: string, options: Options = {}): Promise<Exchange> {
    const request = this.request(call, key, options);
    const exchange: Exchange = { request, answer: null };
    this.exchanges.push(exchange);
    exchange.answer = await sendOnWire(request, this.secretOf(request.credential), {
      patienceMs: this.target.patienceMs,
      ...(options.cut && { cut: options.cut }),
      lost: (why) => (exchange.lost = why),
    });
    return exchange;
  }

  request(call: Call, key: string, options: Options = {}): Sent {
    const { body = membersOf(call.body) } = options;
    const isRead = call.method === 'GET';
    const headers: Headers = Object.entries({
      ...(isRead ? {} : { 'Content-Type': 'application/json' }),
      ...call.headers,
      ...options.headers,
    });
    return {
      method: call.method ?? 'POST',
      url: this.target.url + call.path,
      headers: [...(options.keyLines ?? this.keyLine(key)), ...headers],
      credential: options.credential ?? 'KEY',
      body: isRead ? null : Array.isArray(body) ? bodyOf(body) : body,
      ...(options.remark !== undefined && { remark: options.remark }),
    };
  }

  keyLine(value: string): Headers {
    return [[this.adapter.keyHeader, value]];
  }

  /** Sends until the answer is final, as a client does that was told to try again. */
  async retried(call: Call, key: string, options: Options = {}): Promise<Answer> {
    const deadlineMs = performance.now() + this.target.settleMs;
    for (;;) {
      const exchange = await this.exchange(call, key, options);
      const { answer, lost } = exchange;
      if (answer !== null && !isPending(answer)) return answer;
      if (performance.now() > deadlineMs) {
        const last = answer === null ? (lost ?? 'no answer') : `status ${answer.status}`;
        throw new Red(
          `${this.target.settleMs / 1000} s of retries got no final answer, last: ${last}`,
        );
      }
      // Only the last of many equal tries is printed.
      this.exchanges.splice(this.exchanges.indexOf(exchange), 1);
      await pause(Math.min(secondsOf(answer) * 1000, RETRY_MS_MAX));
    }
  }

  /** The effects that carry the marker are so many: now, and at the end of the run. */
  async holds(marker: string, effects: number, credential: Credential = 'KEY'): Promise<void> {
    const deadlineMs = performance.now() + COUNT_MS_MAX;
    let found = await this.count(marker, credential);
    while (found < effects && performance.now() < deadlineMs) {
      await pause(COUNT_POLL_MS);
      found = await this.count(marker, credential);
    }
    // What is wrong already is red here; the count at the end is about what comes later.
    const held = Math.max(found, effects);
    this.run.owed.push({ check: this.check, marker, credential, effects: held });
    if (found !== effects)
      throw new Red(
        `the service holds ${found} effects of this intent, where ${effects} are right`,
      );
  }

  crowd(): Crowd {
    return (this.run.crowd ??= new Crowd(this.target));
  }

  /** What every check so far expects the service to hold. */
  owed(): readonly Owed[] {
    return this.run.owed;
  }

  count(marker: string, credential: Credential = 'KEY'): Promise<number> {
    return this.adapter.count(marker, this.asker(credential));
  }

  /** From now on equal questions get the first answer: the books are at rest. */
  remembers(): void {
    this.#remembered = new Map();
  }

  asker(credential: Credential): Ask {
    return async (path) => {
      const known = this.#remembered?.get(`${credential} ${path}`);
      if (known) return known;
      const asked = ask(this.target, credential, path);
      this.#remembered?.set(`${credential} ${path}`, asked);
      return asked;
    };
  }

  secretOf(credential: Credential): Headers {
    return secretOf(this.target, credential);
  }
}

export async function ask(target: Target, credential: Credential, path: string) {
  const request: Sent = {
    method: 'GET',
    url: target.url + path,
    headers: [],
    credential,
    body: null,
  };
  let why = '';
  const answer = await sendOnWire(request, secretOf(target, credential), {
    patienceMs: target.patienceMs,
    lost: (told) => (why = told),
  });
  if (answer === null) throw new Error(`GET ${request.url}: ${why}`);
  return { status: answer.status, body: jsonOf(answer) };
}

function secretOf({ adapter, keys }: Target, credential: Credential): Headers {
  const value = {
    KEY: keys.key,
    OTHER_KEY: keys.otherKey,
    ROTATED_KEY: keys.rotatedKey,
    none: null,
  };
  const secret = value[credential];
  if (secret === null) return [];
  if (secret === undefined) throw new NotApplicable(`no ${OPTION[credential]} was given`);
  return Object.entries(adapter.authorize(secret));
}

const OPTION: Record<string, string> = {
  OTHER_KEY: '--other-key',
  ROTATED_KEY: '--rotated-key',
};
const RETRY_MS_MAX = 2_000;
const COUNT_MS_MAX = 5_000;
const COUNT_POLL_MS = 50;

/** Not the end yet: taken but not done, in progress, limited, or broken for the moment. */
export function isPending({ status }: Answer): boolean {
  return [202, 409, 425, 429].includes(status) || status >= 500;
}

function secondsOf(answer: Answer | null): number {
  const told = Number(answer?.headers['retry-after']);
  return Number.isFinite(told) && told > 0 ? told : 0.1;
}

export function jsonOf({ bytes }: Answer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    return null;
  }
}

export function createdOf(answer: Answer): Created {
  return { status: answer.status, headers: answer.headers, body: jsonOf(answer) };
}
