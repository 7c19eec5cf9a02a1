/**
 * Whether the text matches the glob: `*` stands for any run of characters, `?` for one, all else for itself.
 * Steps back to the last star only, so a hostile pattern costs at most pattern × text.
 */
export function globMatches(glob: string, text: string): boolean {
  let g = 0;
  let t = 0;
  let star = -1;
  let resume = 0;
  while (t < text.length) {
    if (g < glob.length && glob[g] === "*") {
      star = g++;
      resume = t;
    } else if (g < glob.length && (glob[g] === "?" || glob[g] === text[t])) {
      g++;
      t++;
    } else if (star !== -1) {
      g = star + 1;
      t = ++resume;
    } else return false;
  }
  while (g < glob.length && glob[g] === "*") g++;
  return g === glob.length;
}

/** Whether any of the globs matches; a value that is not there matches none. */
export function anyGlobMatches(globs: string | readonly string[], text: string | null | undefined): boolean {
  if (text === null || text === undefined) return false;
  return typeof globs === "string" ? globMatches(globs, text) : globs.some((glob) => globMatches(glob, text));
}
