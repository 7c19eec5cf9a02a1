export interface Disguise {
  readonly burst?: boolean;
}
export const KNOWN: Readonly<Record<string, Disguise>>;
export const OTHERS: Readonly<Record<string, Disguise>>;
export const DISGUISES: Readonly<Record<string, Disguise>>;
