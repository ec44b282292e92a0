/** What no part of the proof does, said on the page and under each verdict: nothing is shown of it. */
export const NOT_INJECTED = [
  'bit rot on a disk, or a disk that lies about a sync',
  'a kernel panic or a loss of power',
  'fail-over to a standby',
  'a network between machines',
  'clocks of two database servers',
  'a processor that forges its own book',
] as const;
