// Parses TypeScript with the compiler that checks the types. Its API runs in a process of its own.
import { API } from "typescript/unstable/sync";

const FOLDER = "/virtual";
const FILE = `${FOLDER}/source.ts`;
const PROJECT = `${FOLDER}/tsconfig.json`;
const COMPILER_OPTIONS = { noLib: true, noResolve: true, types: [] };

let text = "";
/** @type {API | undefined} */
let api;
/** The latest; a change is noticed only beside it. */
let snapshot;

/**
 * @param {string} source
 * @returns {import("typescript/unstable/ast").SourceFile} whose nodes know their parents
 */
export function parse(source) {
  text = source;
  api ??= open();
  const before = snapshot;
  snapshot = api.updateSnapshot({ openProjects: [PROJECT], fileChanges: { changed: [FILE] } });
  before?.dispose();
  return snapshot.getProject(PROJECT).program.getSourceFile(FILE);
}

function open() {
  const files = {
    [PROJECT]: () => JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: [FILE] }),
    [FILE]: () => text,
  };
  return new API({
    fs: {
      readFile: (name) => files[name]?.() ?? null,
      fileExists: (name) => name in files,
      directoryExists: (name) => name === FOLDER,
      getAccessibleEntries: () => ({ files: [], directories: [] }),
      realpath: (name) => name,
    },
  });
}
