import { existsSync } from "node:fs";
import { findNearestWord } from "../schema/nearest.js";
import { type LoadedDocument, parseDocument, readDocument, wholeFileError } from "./documents.js";
import { listShippedFlows, readPackageFile } from "./package.js";

/** Reads a user's file or a shipped flow: `card`, `flow_card.yaml` or `scenarios/flow_card.yaml`. */
export async function readFlow(file: string): Promise<LoadedDocument> {
  if (existsSync(file)) return readDocument(file);
  const found = findShippedFlow(file);
  // A user's file at the flow's own path takes precedence.
  if (found !== undefined)
    return existsSync(found) ? readDocument(found) : parseDocument(found, readPackageFile(found));
  const near = /^\w+$/.test(file) ? findNearestWord(file, listShippedFlows().map(shortName)) : undefined;
  if (near !== undefined) throw wholeFileError(file, `there is no such file; did you mean the flow ${near}?`);
  return readDocument(file);
}

export function isShippedFlow(file: string): boolean {
  return findShippedFlow(file) !== undefined;
}

function findShippedFlow(file: string): string | undefined {
  const name = file.replaceAll("\\", "/").replace(/^(\.\/)?node_modules\/payments-sandbox\/|^\.\//, "");
  return listShippedFlows().find((flow) => [flow, shortName(flow), ...fileNames(flow)].includes(name));
}

function fileNames(flow: string): string[] {
  const name = flow.replace(/^.*\//, "");
  return [name, name.replace(/\.yaml$/, "")];
}

function shortName(flow: string): string {
  return flow.replace(/^.*\/flow_|\.yaml$/g, "");
}
