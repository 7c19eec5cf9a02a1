import { readPackageFile } from "../core/files/package.js";

/** Minified style sheet and script of a family of pages. */
export interface PageAssets {
  readonly css: string;
  readonly js: string;
}

let assets: Readonly<Record<string, PageAssets>> | undefined;

/** The build's output for a family's style sheet and browser code. */
export function pageAssets(family: string): PageAssets {
  assets ??= JSON.parse(readPackageFile("dist/pages.json")) as NonNullable<typeof assets>;
  return assets[family]!;
}
