// Stands in for src/core/files/package.ts in the one file: what the package's folder holds is inside, and the command that
// starts this one again is whatever this one was started as.
import { files, own } from "payments-sandbox:inside";

let compiled;
let shipped;
let flows;

/** The shipped YAML is in there once, in what was compiled of it. */
function shippedFiles() {
  shipped ??= JSON.parse(readPackageFile("dist/shipped.json"));
  return shipped;
}

/** Path → text of each flow, in one piece: they are much alike. */
function flowTexts() {
  flows ??= JSON.parse(files("flows"));
  return flows;
}

export function readPackageFile(path) {
  if (path === "dist/shipped.json") return (compiled ??= files(path));
  if (path.startsWith("scenarios/flow_")) return flowTexts()[path];
  return path.endsWith(".yaml") ? (shippedFiles()[path]?.text ?? files(path)) : files(path);
}
export const listPackageFiles = (folder) =>
  Object.keys(shippedFiles())
    .filter((path) => path.startsWith(`${folder}/`))
    .map((path) => path.slice(folder.length + 1))
    .sort();
export const listShippedFlows = () => Object.keys(flowTexts());
export const packageVersion = () => JSON.parse(files("package.json")).version;
export const cliLaunchCommand = () => own;
