export interface Disguise {
  readonly burst?: boolean;
  readonly payouts?: boolean;
}
export const DISGUISES: Readonly<Record<string, Disguise>>;
