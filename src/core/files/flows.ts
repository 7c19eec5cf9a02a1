import { existsSync } from "node:fs";
import { nearest } from "../schema/nearest.js";
import { type LoadedDocument, parseDocument, readDocument, wholeFile } from "./documents.js";
import { packageFlows, packageText } from "./package.js";

/** A person's file, or a flow that is shipped, by its name: `card`, `flow_card.yaml`, `scenarios/flow_card.yaml`. */
export async function readFlow(file: string): Promise<LoadedDocument> {
  if (existsSync(file)) return readDocument(file);
  const flows = packageFlows();
  const wanted = file.replaceAll("\\", "/").replace(/^(\.\/)?node_modules\/payments-sandbox\/|^\.\//, "");
  const found = flows.find((flow) => [flow, inShort(flow), ...asNamed(flow)].includes(wanted));
  // Under the path that the package has it by, a file in the user's folder goes before it whatever it is called by.
  if (found !== undefined)
    return existsSync(found) ? readDocument(found) : parseDocument(found, packageText(found));
  const near = /^\w+$/.test(file) ? nearest(file, flows.map(inShort)) : undefined;
  if (near !== undefined) throw wholeFile(file, `there is no such file; did you mean the flow ${near}?`);
  return readDocument(file);
}

function asNamed(flow: string): string[] {
  const name = flow.replace(/^.*\//, "");
  return [name, name.replace(/\.yaml$/, "")];
}

function inShort(flow: string): string {
  return flow.replace(/^.*\/flow_|\.yaml$/g, "");
}
