import { vi } from "vitest";

const before = [process.stdout, process.stderr].flatMap((stream) =>
  ["isTTY", "columns"].map((name) => [stream, name, Object.getOwnPropertyDescriptor(stream, name)] as const),
);

/** Makes a stream, by default standard output, a terminal of that width. */
export function onTerminal(columns: number, stream: NodeJS.WriteStream = process.stdout): void {
  for (const [name, value] of Object.entries({ isTTY: true, columns }))
    Object.defineProperty(stream, name, { value, configurable: true });
}

/** Restores both outputs and the environment. */
export function offTerminal(): void {
  vi.unstubAllEnvs();
  for (const [stream, name, own] of before)
    if (own === undefined) delete (stream as unknown as Record<string, unknown>)[name];
    else Object.defineProperty(stream, name, own);
}
