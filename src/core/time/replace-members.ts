/** Replaces members of an object; returns a function that puts the old ones back where nobody has replaced them since. */
export function replaceMembers(target: object, members: Readonly<Record<string, unknown>>): () => void {
  const old = Object.keys(members).map(
    (name) => [name, Object.getOwnPropertyDescriptor(target, name)] as const,
  );
  for (const [name, value] of Object.entries(members))
    Object.defineProperty(target, name, { value, configurable: true, writable: true, enumerable: true });
  return () => {
    for (const [name, descriptor] of old)
      if (Reflect.get(target, name) !== members[name]) continue;
      else if (descriptor === undefined) Reflect.deleteProperty(target, name);
      else Object.defineProperty(target, name, descriptor);
  };
}
