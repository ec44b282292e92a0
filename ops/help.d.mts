/** Every command of package.json with its sentence. */
export const COMMANDS: Record<string, string>;
