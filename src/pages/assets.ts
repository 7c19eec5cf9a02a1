import { readPackageFile } from "../core/files/package.js";

type PageFamily = "checkout" | "dashboard" | "reference";

/** Minified style sheet and script of a family of pages. */
export interface PageAssets {
  readonly css: string;
  readonly js: string;
}

let assets: Readonly<Record<PageFamily, PageAssets>> | undefined;

/** The build's output for a family's style sheet and browser code. */
export function pageAssets(family: PageFamily): PageAssets {
  assets ??= JSON.parse(readPackageFile("dist/pages.json")) as NonNullable<typeof assets>;
  return assets[family];
}
