import type { Context } from "hono";
import type { Worlds } from "../ports.js";

export function serveDocs(_worlds: Worlds, _paths: Readonly<Record<string, string>>, c: Context): Response {
  return c.text("");
}
