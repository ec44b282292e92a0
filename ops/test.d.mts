export const LONG_SPECS: readonly string[];
