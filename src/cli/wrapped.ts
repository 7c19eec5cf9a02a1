/** Lines that fit, each of them indented; a word longer than a line is broken, but for an address. */
export function wrapped(text: string, indent: number, width: number): string[] {
  const room = Math.max(1, width - indent);
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ").flatMap((one) => pieces(one, room))) {
    if (line !== "" && line.length + 1 + word.length > room) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].map((one) => " ".repeat(indent) + one);
}

/** The same behind a head of the first line's own: what follows hangs below where the text began. */
export function hanging(head: string, text: string, width: number): string[] {
  const [first = "", ...rest] = wrapped(text, head.length, width);
  return [head + first.slice(head.length), ...rest];
}

function pieces(word: string, room: number): string[] {
  if (word.length <= room || word.includes("://")) return [word];
  return Array.from({ length: Math.ceil(word.length / room) }, (_none, place) =>
    word.slice(place * room, (place + 1) * room),
  );
}
