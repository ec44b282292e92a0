/** What can be asked of the processor. Each is a row with its own key there, its own lease and attempts. */
export const OPERATION_KINDS = ['charge', 'capture', 'void', 'refund'] as const;
export type OperationKind = (typeof OPERATION_KINDS)[number];
