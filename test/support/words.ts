/** Splits a command line into words. */
export function words(
  texts: TemplateStringsArray,
  ...values: readonly (string | number | readonly string[])[]
): string[] {
  const all: string[] = [];
  let open: string | undefined;
  const close = () => {
    if (open !== undefined) all.push(open);
    open = undefined;
  };
  for (const [index, text] of texts.entries()) {
    for (const [at, part] of text.split(/\s+/).entries()) {
      if (at > 0) close();
      if (part !== "") open = (open ?? "") + part;
    }
    const value = values[index];
    if (typeof value === "object") {
      close();
      all.push(...value);
    } else if (value !== undefined) open = `${open ?? ""}${value}`;
  }
  close();
  return all;
}
