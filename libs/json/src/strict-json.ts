import { isUtf8 } from 'node:buffer';
import { readNumber } from './exact-number.js';

/**
 * Reads JSON so that nobody downstream can read it differently: what this parser accepts has one
 * meaning for every gateway, database and processor. `JSON.parse` and the usual body parsers let
 * through two members of one name, invalid UTF-8, lone surrogates and numbers that are rounded.
 *
 * One pass over the text, without a second parse. The depth limit is what bounds the recursion.
 */
export function parseStrictJson(bytes: Uint8Array, limits?: { maxDepth?: number }): unknown {
  const text = decode(bytes);
  const reader = new Reader(text, limits?.maxDepth ?? DEPTH_MAX);
  return reader.document();
}

/** Containers inside containers. A payment needs two; the rest is room for other people's webhooks. */
export const DEPTH_MAX = 32;

const PARAM_LENGTH_MAX = 200;
/** With the `u` flag a pair counts as one character, so only a half that stands alone matches. */
const LONE_SURROGATE = /\p{Surrogate}/u;

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const BYTE_ORDER_MARK = 0xfeff;

export type JsonProblemCode =
  'malformed_json' | 'duplicate_member' | 'too_deep' | 'invalid_encoding';

/** `param` is the dotted path of the member at fault where it is known, `metadata.a` or `items.0.id`. */
export class JsonProblem extends Error {
  constructor(
    readonly code: JsonProblemCode,
    message: string,
    readonly param: string | null,
  ) {
    super(message);
    this.name = 'JsonProblem';
  }
}

function decode(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!isUtf8(buffer)) {
    throw new JsonProblem('invalid_encoding', 'The body is not valid UTF-8.', null);
  }
  const text = buffer.toString('utf8');
  if (text.charCodeAt(0) === BYTE_ORDER_MARK) {
    throw new JsonProblem('invalid_encoding', 'The body begins with a byte order mark.', null);
  }
  return text;
}

class Reader {
  private at = 0;
  private depth = 0;
  /** The name or index at each depth, kept for error messages; entries below `depth` are current. */
  private readonly path: (string | number)[] = [];

  constructor(
    private readonly text: string,
    private readonly maxDepth: number,
  ) {}

  document(): unknown {
    this.skipSpace();
    if (this.at === this.text.length) throw this.problem('malformed_json', 'The body is empty.');
    const value = this.value();
    this.skipSpace();
    if (this.at < this.text.length) throw this.unexpected();
    return value;
  }

  private value(): unknown {
    switch (this.text.charCodeAt(this.at)) {
      case QUOTE:
        return this.string();
      case OPEN_BRACE:
        return this.object();
      case OPEN_BRACKET:
        return this.array();
      case 0x74:
        return this.word('true', true);
      case 0x66:
        return this.word('false', false);
      case 0x6e:
        return this.word('null', null);
      default:
        return this.number();
    }
  }

  private object(): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    this.enter();
    if (this.text.charCodeAt(this.at) === CLOSE_BRACE) return this.leave(object);
    for (;;) {
      const name = this.memberName(object);
      this.expect(COLON);
      object[name] = this.value();
      this.skipSpace();
      if (this.text.charCodeAt(this.at) === CLOSE_BRACE) return this.leave(object);
      this.expect(COMMA);
    }
  }

  /** Compared after unescaping: `"a"` and `"\u0061"` are one name. */
  private memberName(object: Record<string, unknown>): string {
    this.path[this.depth - 1] = '';
    if (this.text.charCodeAt(this.at) !== QUOTE) throw this.unexpected();
    const name = this.string();
    this.path[this.depth - 1] = name;
    // Assigning it would set the prototype instead of a member, here or in whatever copies the value.
    if (name === '__proto__') {
      throw this.problem('malformed_json', 'A member may not be named __proto__.');
    }
    if (Object.hasOwn(object, name)) {
      throw this.problem('duplicate_member', 'The body holds this member twice.');
    }
    this.skipSpace();
    return name;
  }

  private array(): unknown[] {
    const items: unknown[] = [];
    this.enter();
    if (this.text.charCodeAt(this.at) === CLOSE_BRACKET) return this.leave(items);
    for (;;) {
      this.path[this.depth - 1] = items.length;
      items.push(this.value());
      this.skipSpace();
      if (this.text.charCodeAt(this.at) === CLOSE_BRACKET) return this.leave(items);
      this.expect(COMMA);
    }
  }

  private enter(): void {
    if (this.depth >= this.maxDepth) {
      throw this.problem('too_deep', `The body nests deeper than ${this.maxDepth} levels.`);
    }
    this.depth += 1;
    this.path[this.depth - 1] = '';
    this.at += 1;
    this.skipSpace();
  }

  private leave<T>(container: T): T {
    this.depth -= 1;
    this.at += 1;
    return container;
  }

  private string(): string {
    const { text } = this;
    const start = this.at;
    let escaped = false;
    for (let at = start + 1; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      if (unit === QUOTE) {
        this.at = at + 1;
        return escaped ? this.unescape(start) : text.slice(start + 1, at);
      }
      if (unit === BACKSLASH) {
        escaped = true;
        at += 1;
      } else if (unit < 0x20) {
        this.at = at;
        throw this.unexpected();
      }
    }
    this.at = text.length;
    throw this.unexpected();
  }

  /** The engine decodes the escapes. Only they can bring U+0000 or half a surrogate pair into valid UTF-8. */
  private unescape(start: number): string {
    let value: string;
    try {
      value = JSON.parse(this.text.slice(start, this.at)) as string;
    } catch {
      throw this.problem('malformed_json', `A bad escape in the string at position ${start}.`);
    }
    if (value.includes('\0')) {
      throw this.problem('invalid_encoding', 'A text may not hold U+0000.');
    }
    if (LONE_SURROGATE.test(value)) {
      throw this.problem('invalid_encoding', 'A text may not hold half of a surrogate pair.');
    }
    return value;
  }

  private number(): number {
    const { text } = this;
    const start = this.at;
    if (text.charCodeAt(this.at) === MINUS) this.at += 1;
    if (text.charCodeAt(this.at) === ZERO) this.at += 1;
    else this.digits();
    if (text.charCodeAt(this.at) === POINT) {
      this.at += 1;
      this.digits();
    }
    const mark = text.charCodeAt(this.at);
    if (mark === 0x65 || mark === 0x45) {
      this.at += 1;
      const sign = text.charCodeAt(this.at);
      if (sign === 0x2b || sign === MINUS) this.at += 1;
      this.digits();
    }
    const value = readNumber(text.slice(start, this.at));
    if (value === null) {
      throw this.problem('malformed_json', 'The number cannot be kept without losing precision.');
    }
    return value;
  }

  private digits(): void {
    const start = this.at;
    for (;;) {
      const unit = this.text.charCodeAt(this.at);
      if (!(unit >= ZERO && unit <= NINE)) break;
      this.at += 1;
    }
    if (this.at === start) throw this.unexpected();
  }

  private word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) throw this.unexpected();
    this.at += word.length;
    return value;
  }

  private expect(unit: number): void {
    if (this.text.charCodeAt(this.at) !== unit) throw this.unexpected();
    this.at += 1;
    this.skipSpace();
  }

  private skipSpace(): void {
    for (;;) {
      const unit = this.text.charCodeAt(this.at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
      this.at += 1;
    }
  }

  private unexpected(): JsonProblem {
    const message =
      this.at < this.text.length
        ? `Unexpected character at position ${this.at}.`
        : 'The body ends too early.';
    return this.problem('malformed_json', message);
  }

  private problem(code: JsonProblemCode, message: string): JsonProblem {
    const names = this.path.slice(0, this.depth).filter((name) => name !== '');
    return new JsonProblem(code, message, names.length === 0 ? null : shorten(names.join('.')));
  }
}

/** A name is the caller's text and may be a megabyte long; an answer names it, it does not repeat it. */
function shorten(path: string): string {
  if (path.length <= PARAM_LENGTH_MAX) return path;
  return `${path.slice(0, PARAM_LENGTH_MAX).replace(LONE_SURROGATE, '')}…`;
}
