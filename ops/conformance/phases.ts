import type { Phase } from './check.js';
import { otherBody, parser, sameBody } from './phases/body.js';
import { parallel } from './phases/burst.js';
import { errors, limiter } from './phases/errors.js';
import { malformedKey, missingKey } from './phases/key.js';
import { lost, outcome } from './phases/lost.js';
import { conflict, replay } from './phases/replay.js';
import { running } from './phases/running.js';
import { scope } from './phases/scope.js';

/** In the order in which they run; the count at the end is about all before it. */
export const PHASES: Phase[] = [
  missingKey,
  malformedKey,
  replay,
  conflict,
  running,
  parallel,
  errors,
  scope,
  sameBody,
  otherBody,
  parser,
  lost,
  limiter,
  outcome,
];

export const CHECK_IDS: ReadonlySet<string> = new Set(
  PHASES.flatMap(({ checks }) => checks.map(({ id }) => id)),
);
