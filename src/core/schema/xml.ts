const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for HTML and XML, as content or attribute value. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char]!);
}
