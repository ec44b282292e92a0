/** Under `npm test -- --long`, which also runs the cases that `npm test` has no time for. */
export const IS_LONG = process.env['PAYONCE_LONG_TESTS'] !== undefined;
