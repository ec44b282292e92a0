import type { ErrorBody } from './errors.js';
import type { Params } from './params.js';
import type { Kind, State } from './state.js';
import type { Draft } from './world.js';

/**
 * One POST of the API. `read` judges the parameters alone: what it throws is never kept under a key.
 * `run` works on the objects, synchronously, so that no other request comes between its checks and
 * its changes; what it throws undoes the draft and is not kept either.
 */
export type Operation<Input = unknown> = {
  path: string;
  /** What a success answers, which decides what can be expanded. */
  object: Kind;
  read(params: Params, id: string): Input;
  /** The payment method that the request would charge, whose name may ask for a fault. */
  charges?(state: State, input: Input): string | null;
  run(state: State, draft: Draft, input: Input): Outcome;
};

/** A kept answer: an object, or a decline with the object that it left behind. */
export type Outcome =
  { status: 200; objectId: string } | { status: 402; error: ErrorBody; objectId: string };

export function operation<Input>(definition: Operation<Input>): Operation {
  return definition;
}
