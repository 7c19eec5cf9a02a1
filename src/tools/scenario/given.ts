import { isRecord, type LoadedDocument, readDocument } from "../../core/files/documents.js";
import type { Given } from "../../core/schema/scenario-file.js";
import { fileBeside, toldAt } from "./included.js";

const AT = ["given", "fixtures"];

/** The fixtures of the world a scenario wants, whether they are in its own file or in another. */
export async function fixturesOf(
  { fixtures }: Given,
  document: LoadedDocument,
): Promise<LoadedDocument | undefined> {
  if (isRecord(fixtures))
    return {
      file: document.file,
      value: fixtures,
      faultAt: (path, message) => document.faultAt([...AT, ...path], message),
    };
  if (typeof fixtures !== "string") return undefined;
  const file = fileBeside(document.file, fixtures);
  return readDocument(file).catch(toldAt(document, AT, file));
}
