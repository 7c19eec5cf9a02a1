/** Puts each tag of a page on one line, whose attributes may stand on several. */
export function joinTags(page: string): string {
  return page.replace(/<[a-z][^<>]*>/g, (tag) => tag.replaceAll("\n", " "));
}
