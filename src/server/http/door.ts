interface Gated {
  passGate(): Promise<void> | undefined;
}

/**
 * The one door of replies: calls `make` once the changes so far are safe, at once or later in the order of the calls.
 *
 * @throws what the store has failed with
 */
export function throughDoor<Result>(
  gated: Gated | undefined,
  make: () => Result,
): Result | Promise<Awaited<Result>> {
  const passing = gated?.passGate();
  return passing === undefined ? make() : (passing.then(make) as Promise<Awaited<Result>>);
}
