import { SEND_ENDS } from './network.js';

/** All that can go wrong with a step, by the names of its ends. */
export const ALL_ENDS = [
  ...SEND_ENDS.slice(1),
  // A statement, or its commit; `lost` is an answer to a client as well.
  'cut',
  'lost',
  'unheard',
  'commits late',
  'never arrives',
];
