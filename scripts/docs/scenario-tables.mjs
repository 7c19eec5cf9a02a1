// Tables and lists of docs/scenarios.md from the shipped files, and of docs/explore.md.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { code, definitions, table } from "./markdown.mjs";

/** Marker → table or list. */
export function scenarioTables(root) {
  const shipped = readdirSync(join(root, "scenarios"))
    .filter((name) => name.endsWith(".yaml"))
    .sort((a, b) => Number(b === DEFAULT) - Number(a === DEFAULT) || (a < b ? -1 : 1))
    .map((name) => ({ name, ...parse(readFileSync(join(root, "scenarios", name), "utf8")), file: name }));
  const rules = shipped.filter(({ steps }) => steps === undefined);
  for (const { file, kind } of rules)
    if (!["mishap", "outcome"].includes(kind)) throw new Error(`scenarios/${file}: needs a kind`);
  const ofKind = (wanted) => nameList(rules.filter(({ kind }) => kind === wanted));
  return {
    "magic values": magicTable(rules.find(({ file }) => file === DEFAULT)),
    outcomes: ofKind("outcome"),
    mishaps: ofKind("mishap"),
  };
}

const DEFAULT = "default.yaml";

/** The deviations of `explore`. */
export function deviationList({ DEVIATION_KIND_DEFINITIONS }) {
  return definitions(
    Object.entries(DEVIATION_KIND_DEFINITIONS).map(([kind, { description }]) => [code(kind), description]),
  );
}

const linkOf = ({ file }) => `[${code(file.replace(/^flow_|\.yaml$/g, ""))}](../scenarios/${file})`;

const nameList = (scenarios) => definitions(scenarios.map((one) => [linkOf(one), firstSentence(one)]));

const firstSentence = ({ description = "" }) =>
  /^.*?[.!?](?=\s|$)/s.exec(description.replace(/\s+/g, " ").trim())?.[0] ?? "";

function magicTable({ charges = [], withdrawals = [] }) {
  return table(
    ["give", "and this happens"],
    [
      ...charges.flatMap(({ match, timeline }) => (match ? [[given(match), story(timeline)]] : [])),
      ...withdrawals.flatMap(({ match, timeline }) =>
        match ? [[`a withdrawal with ${given(match)}`, story(timeline)]] : [],
      ),
    ],
  );
}

const WORDS = {
  customer_email: "the e-mail address",
  phone_number: "the phone number",
  base_amount: "the price",
  reference: "the reference",
};

function given({ payment_method, ...match }) {
  const parts = Object.entries(match).map(
    ([field, glob]) => `${WORDS[field] ?? field} ${code(String(glob))}`,
  );
  return parts.join(" and ") + (payment_method === undefined ? "" : ` (${code(payment_method)} only)`);
}

function story(timeline) {
  return timeline
    .map(({ after, after_expiry, to, reason }) => {
      const when = after_expiry === undefined ? after : `${after_expiry} after expiry`;
      return `${when}: ${to}${reason === undefined ? "" : ` ${code(reason)}`}`;
    })
    .join(", ");
}
