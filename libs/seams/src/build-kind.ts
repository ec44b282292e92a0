/** The demonstration build accepts demo secrets and fault methods; the production build has neither. */
export const buildKind: 'demonstration' | 'production' = 'demonstration';
