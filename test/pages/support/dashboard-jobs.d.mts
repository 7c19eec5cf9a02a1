import type { Locator, Page } from "playwright-core";

/** Somebody's way of using a page; it counts what is pressed. */
export interface Hand {
  readonly page: Page;
  readonly hasScript: boolean;
  presses: number;
  press(locator: Locator): Promise<void>;
  open(locator: Locator, path: string): Promise<void>;
  choose(locator: Locator, name: string): Promise<void>;
  search(text: string): Promise<void>;
}
export type HandName = "mouse" | "keyboard" | "phone" | "without a script";
export const HANDS: Readonly<
  Record<
    HandName,
    { viewport: { width: number; height: number }; permissions?: string[]; hasTouch?: boolean }
  >
>;
export function handOf(name: HandName, page: Page): Hand;

export interface JobReceiver {
  readonly port: number;
  mend(namespace: string): void;
  close(): Promise<void>;
}
export function openJobReceiver(): Promise<JobReceiver>;

export interface JobWorld {
  readonly namespace: string;
  readonly home: string;
}
export function makeJobWorld(url: string, namespace: string, receiver: JobReceiver): Promise<JobWorld>;

export const JOBS: readonly {
  readonly name: string;
  readonly most: number;
  readonly from: "home" | "any page" | "on the way";
  readonly carryOut: (hand: Hand, world: JobWorld) => Promise<void>;
}[];
