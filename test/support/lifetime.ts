/** Closes what tests open, in reverse order, at the end of the test or the file. */
type Close = () => unknown;

let running = 0;
const ofTests: Close[] = [];
const ofFile: Close[] = [];

export function atEnd(close: Close): void {
  (running > 0 ? ofTests : ofFile).push(close);
}

export function atEndOfFile(close: Close): void {
  ofFile.push(close);
}

export function closedAtEnd<Thing extends AsyncDisposable>(thing: Thing): Thing {
  atEnd(() => thing[Symbol.asyncDispose]());
  return thing;
}

export function beginTest(): void {
  running++;
}

/** Closes now what this test has opened, for example before a restart. */
export async function closeAll(): Promise<void> {
  await closeEach(ofTests.splice(0));
}

export async function endTest(): Promise<void> {
  if (--running === 0) await closeAll();
}

export async function endFile(): Promise<void> {
  await closeEach(ofFile.splice(0));
}

/** Closes all of them, even when one fails. */
async function closeEach(closing: Close[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closing.reverse())
    try {
      await close();
    } catch (failure) {
      failures.push(failure);
    }
  if (failures.length > 0) throw new AggregateError(failures, String(failures[0]));
}
