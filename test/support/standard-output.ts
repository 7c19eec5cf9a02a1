import { vi } from "vitest";

const before = ["isTTY", "columns"].map(
  (name) => [name, Object.getOwnPropertyDescriptor(process.stdout, name)] as const,
);

/** Makes standard output a terminal of that width. */
export function onTerminal(columns: number): void {
  for (const [name, value] of Object.entries({ isTTY: true, columns }))
    Object.defineProperty(process.stdout, name, { value, configurable: true });
}

/** Restores standard output and the environment. */
export function offTerminal(): void {
  vi.unstubAllEnvs();
  for (const [name, own] of before)
    if (own === undefined) delete (process.stdout as unknown as Record<string, unknown>)[name];
    else Object.defineProperty(process.stdout, name, own);
}
