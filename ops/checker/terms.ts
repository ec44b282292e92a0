/** Under which terms books are compared. */
export type Terms = {
  /** Nothing is under way any more: then everything must have its end as well. */
  quiet: boolean;
  /** Texts that may stand nowhere: in no answer, no row and no line of the processor's. */
  canaries?: readonly string[];
  /** Accounts whose clients kept no book: nothing can be said of what they asked for. */
  unrecorded?: readonly string[];
};
