/**
 * Every answer that is not a success, as data. A problem is part of the contract: its `code` never
 * changes its meaning, and `docs/problems/<code>.md` tells a person what to do about it.
 */
export type ProblemDefinition = {
  status: number;
  title: string;
  /** The first paragraph of its page. */
  summary: string;
  /**
   * true: send the same request with the same key again, after Retry-After.
   * false: the same request will be answered the same way.
   * 'unknown': it depends on something outside the request, which the page names; the same key stays safe.
   */
  retryable: boolean | 'unknown';
  /** It is the final answer of the key, replayed byte for byte. The others leave the key as it was. */
  saved?: true;
  /** Sent as Retry-After unless the caller of `renderProblem` knows better. */
  retryAfterSeconds?: number;
  /** Headers that HTTP demands beside this status. */
  headers?: Readonly<Record<string, string>>;
};
