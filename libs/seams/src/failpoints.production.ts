/** The production build has no failpoints: this module takes the place of `failpoints.ts`. */
export async function failpoint(_name: string): Promise<void> {}

export const failpointsArmed = false;
