import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const COMPRESS = {
  // The default quality of 11 takes ten times as long for a tenth less.
  br: (text: string) => promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (text: string) => promisify(gzip)(text),
};
type Encoding = keyof typeof COMPRESS;

/** Returns the first encoding of `known` that an `Accept-Encoding` allows. */
export function acceptedEncoding<Known extends string>(
  header: string | null | undefined,
  known: readonly Known[],
): Known | undefined {
  const accepted = (header ?? "").split(",").flatMap((part) => {
    const [name = "", ...parameters] = part.toLowerCase().split(";");
    return parameters.some((one) => /^\s*q=0(\.0*)?\s*$/.test(one)) ? [] : [name.trim()];
  });
  return known.find((name) => accepted.includes(name));
}

/** A text with an entity tag, compressed at the first request that accepts it. */
export class CompressedText {
  readonly #text: string;
  readonly #etag: string;
  readonly #compressed = new Map<Encoding, Promise<Buffer>>();

  constructor(text: string) {
    this.#text = text;
    // Weak, since one tag serves all encodings.
    this.#etag = `W/"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
  }

  /** Responds with the text, or with 304 if the client has it. `headers` are the response's others. */
  async respond(request: Request, headers: Readonly<Record<string, string>>): Promise<Response> {
    const all = { ...headers, etag: this.#etag, "cache-control": "no-cache" };
    const tags = request.headers.get("if-none-match")?.split(",") ?? [];
    if (tags.some((tag) => tag.trim() === this.#etag || tag.trim() === "*"))
      return new Response(null, { status: 304, headers: all });
    const encoding = acceptedEncoding(request.headers.get("accept-encoding"), ["br", "gzip"]);
    if (encoding === undefined) return new Response(this.#text, { headers: all });
    let compressed = this.#compressed.get(encoding);
    if (compressed === undefined)
      this.#compressed.set(encoding, (compressed = COMPRESS[encoding](this.#text)));
    const body = new Uint8Array(await compressed);
    return new Response(body, { headers: { ...all, "content-encoding": encoding } });
  }
}
