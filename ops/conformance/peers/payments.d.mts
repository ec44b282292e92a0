export const CREDENTIALS: { key: string; rotated: string; other: string };
export class Refused extends Error {
  status: number;
}
export function accountOf(authorization: string | undefined): string | null;
export class Payments {
  charge(account: string, body: unknown): Promise<{ id: string }>;
  refund(account: string, payment: string, body: unknown): Promise<{ id: string }>;
  list(account: string): object[];
}
