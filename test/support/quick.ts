/** Throws in `npm test`, which needs nothing that npm does not bring. */
export function refuseInQuick(needed: string): void {
  if (process.env.MODE === "quick")
    throw new Error(`npm test runs without ${needed}: name this test file in a list of vitest.config.ts`);
}
