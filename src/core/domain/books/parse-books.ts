import { isJsonObject } from "../../schema/json-objects.js";
import { UserError } from "../../schema/user-error.js";
import { findJsonFault } from "../json-fault.js";

/** Rows of a file with the app's orders, and the line at which each row begins, from 1. */
export interface Books {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly lines: readonly number[];
}

/** Parses CSV with a header, JSON lines or a JSON list; empty text has no rows. Throws a UserError with the line. */
export function parseBooks(text: string, source: string): Books {
  const refuse = (line: number, fault: string): never => {
    throw new UserError(`${source}, line ${line}: ${fault}`);
  };
  const start = text.replace(/^\uFEFF/, "").trimStart();
  if (start === "") return { rows: [], lines: [] };
  if (start.startsWith("[")) return jsonList(start, text.slice(0, -start.length).split("\n").length, refuse);
  return start.startsWith("{") ? jsonLines(text, refuse) : csv(text.replace(/^\uFEFF/, ""), refuse);
}

type Refuse = (line: number, fault: string) => never;

/** @param firstLine line of the file at which the text begins */
function parseJson(text: string, firstLine: number, refuse: Refuse): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const { line, column, message } = findJsonFault(text)!;
    return refuse(firstLine + line - 1, `is not JSON: column ${column}: ${message}`);
  }
}

function jsonList(text: string, firstLine: number, refuse: Refuse): Books {
  const rows = (parseJson(text, firstLine, refuse) as unknown[]).map((row, index) =>
    isJsonObject(row) ? row : refuse(1, `entry ${index + 1} of the list is not an object`),
  );
  return { rows, lines: rows.map(() => 1) };
}

function jsonLines(text: string, refuse: Refuse): Books {
  const entries = text.split("\n").flatMap((content, index) => {
    if (content.trim() === "") return [];
    const row = parseJson(content, index + 1, refuse);
    return [{ line: index + 1, row: isJsonObject(row) ? row : refuse(index + 1, "is not a JSON object") }];
  });
  return { rows: entries.map(({ row }) => row), lines: entries.map(({ line }) => line) };
}

const DELIMITERS = [",", ";", "\t"];

function csv(text: string, refuse: Refuse): Books {
  const [header, ...records] = csvRecords(text, refuse);
  const names = header!.cells;
  if (names.length < 2) refuse(header!.line, "is neither JSON nor a CSV header");
  const rows = records.map(({ cells, line }) => {
    if (cells.length !== names.length)
      refuse(line, `has ${cells.length} cells, and the header has ${names.length}`);
    return Object.fromEntries(names.map((name, index) => [name.trim(), cells[index]]));
  });
  return { rows, lines: records.map(({ line }) => line) };
}

/** Splits CSV (RFC 4180) into cells; skips empty lines. */
function csvRecords(text: string, refuse: Refuse) {
  const firstLine = text.trimStart().split("\n", 1)[0]!;
  const delimiter = DELIMITERS.find((sign) => firstLine.includes(sign)) ?? ",";
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^"${delimiter}\r\n]*))(${delimiter}|\r?\n|$)`, "y");
  const records: { readonly cells: string[]; readonly line: number }[] = [];
  let cells: string[] = [];
  let line = 1;
  let recordLine = 1;
  while (cell.lastIndex < text.length || cells.length > 0) {
    const matched = cell.exec(text) ?? refuse(line, "has a quote that does not end, or text beside one");
    const [, quoted, plain = "", end] = matched;
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    line += matched[0].split("\n").length - 1;
    if (end === delimiter) continue;
    if (cells.length > 1 || cells[0] !== "") records.push({ cells, line: recordLine });
    cells = [];
    recordLine = line;
    if (end === "") break;
  }
  return records;
}
