// Stands in for re2js in the bundle: the engine of regular expressions is a file of its own, loaded by the first pattern.
let engine;

export const RE2JS = {
  compile: (source) => (engine ??= require("../re2.cjs")).RE2JS.compile(source),
};
