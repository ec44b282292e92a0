/** A request without its idempotency key, as an adapter describes it. */
export type Call = {
  /** POST where it is not said. */
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: Record<string, unknown>;
};

/** Asks a GET of the service as the account that is being looked at. */
export type Ask = (path: string) => Promise<{ status: number; body: unknown }>;

export type Created = { status: number; headers: Record<string, string>; body: unknown };

/** What the kit has to be told about a service. Only `name`, `create` and `count` are required. */
export type Adapter = {
  name: string;
  /** A request that has one effect, marked so that `count` finds it. */
  create: (marker: string) => Call;
  /** How many effects carry the marker, read back from the service. Called often. */
  count: (marker: string, ask: Ask) => Promise<number>;

  /** `Idempotency-Key` where it is not said. */
  keyHeader?: string;
  /** The longest key that the service takes: 255 where it is not said. */
  keyLengthMax?: number;
  /** The header that marks a replay: `Idempotent-Replayed` where it is not said, null for none. */
  replayHeader?: string | null;
  /** Headers that carry a credential: `Authorization: Bearer …` where it is not said. */
  authorize?: (credential: string) => Record<string, string>;
  /** What is measured, for the report. */
  version?: (ask: Ask) => Promise<string>;

  /** Members of the body of `create` that the kit may spell otherwise or change. */
  numberMember?: string;
  textMember?: string;
  objectMember?: string;

  /** The same request, answered after so many milliseconds or later. */
  slow?: (marker: string, ms: number) => Call;
  /** A request that validation refuses; with the body of `create` it would be taken. */
  invalid?: (marker: string) => Call;
  /** A request that is refused for good after it was tried, as a card is declined. */
  declined?: (marker: string) => Call;
  /** A request that the service answers by 5xx at first, and takes later. */
  failsOnce?: (marker: string) => Call;
  /** How many slow requests of one account fill its limit. */
  limit?: { inFlight: number };
  /** A request to another route, of the kind that takes a key; gets the answer to a `create`. */
  otherRoute?: (created: Created) => Call;

  /** Checks that the service fails on purpose, each with its reason and a page that tells it to clients. */
  differences?: Record<string, { reason: string; link: string }>;
  /** Checks that make no sense for the service, each with its reason. */
  notApplicable?: Record<string, string>;
};

/** The parts of an adapter that have a default, with it. */
export function settled(adapter: Adapter) {
  return {
    ...adapter,
    keyHeader: adapter.keyHeader ?? 'Idempotency-Key',
    keyLengthMax: adapter.keyLengthMax ?? 255,
    replayHeader: adapter.replayHeader === undefined ? 'Idempotent-Replayed' : adapter.replayHeader,
    authorize:
      adapter.authorize ?? ((credential: string) => ({ Authorization: `Bearer ${credential}` })),
  };
}
export type SettledAdapter = ReturnType<typeof settled>;

/** Says what is wrong with an adapter before anything is sent; `ids` are the checks that exist. */
export function faultsOf(given: unknown, ids: ReadonlySet<string>): string[] {
  if (typeof given !== 'object' || given === null)
    return ['the adapter must be the default export of its module'];
  const adapter = given as Partial<Record<keyof Adapter, unknown>>;
  const faults: string[] = [];
  if (typeof adapter.name !== 'string' || adapter.name === '') faults.push('name must be a text');
  for (const member of ['create', 'count'] as const)
    if (typeof adapter[member] !== 'function') faults.push(`${member} must be a function`);
  for (const member of Object.keys(adapter))
    if (!MEMBERS.has(member)) faults.push(`${member} is not a member of an adapter`);
  for (const [id, told] of entries(adapter.differences)) {
    const { reason, link } = (told ?? {}) as { reason?: unknown; link?: unknown };
    if (!ids.has(id)) faults.push(`differences: there is no check ${id}`);
    if (!isSaid(reason) || !isSaid(link))
      faults.push(`differences: ${id} needs a reason and a link`);
  }
  for (const [id, reason] of entries(adapter.notApplicable)) {
    if (!ids.has(id)) faults.push(`notApplicable: there is no check ${id}`);
    if (!isSaid(reason)) faults.push(`notApplicable: ${id} needs a reason`);
  }
  return faults;
}

/** A record, so that the compiler misses none when a member is added. */
const KNOWN: Record<keyof Adapter, true> = {
  name: true,
  create: true,
  count: true,
  keyHeader: true,
  keyLengthMax: true,
  replayHeader: true,
  authorize: true,
  version: true,
  numberMember: true,
  textMember: true,
  objectMember: true,
  slow: true,
  invalid: true,
  declined: true,
  failsOnce: true,
  limit: true,
  otherRoute: true,
  differences: true,
  notApplicable: true,
};
const MEMBERS = new Set(Object.keys(KNOWN));

function entries(record: unknown): [string, unknown][] {
  return Object.entries((record ?? {}) as Record<string, unknown>);
}

function isSaid(text: unknown): boolean {
  return typeof text === 'string' && text.trim() !== '';
}
