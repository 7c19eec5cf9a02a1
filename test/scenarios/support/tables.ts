import type {
  ChargeTimelineEntry,
  Scenario,
  WithdrawalTimelineEntry,
} from "../../../src/core/schema/scenario-rules.js";
import { firstSentence, type ShippedFile } from "./shipped.js";

/** The tables of docs/scenarios.md, made of the files they are about. */
export function magicTable({ value }: ShippedFile): string {
  const { charges = [], withdrawals = [] } = value;
  return table("| give | and this happens |", [
    ...charges.flatMap(({ match, timeline }) =>
      match === undefined ? [] : [[given(match), story(timeline)]],
    ),
    ...withdrawals.flatMap(({ match, timeline }) =>
      match === undefined ? [] : [[`a withdrawal with ${given(match)}`, story(timeline)]],
    ),
  ]);
}

const WORDS: Readonly<Record<string, string>> = {
  customer_email: "the e-mail address",
  phone_number: "the phone number",
  base_amount: "the price",
  reference: "the reference",
};

type Match = NonNullable<NonNullable<Scenario["charges"]>[number]["match"]>;

function given({ payment_method, ...match }: Match): string {
  const parts = Object.entries(match).map(([field, glob]) => `${WORDS[field] ?? field} \`${String(glob)}\``);
  return parts.join(" and ") + (payment_method === undefined ? "" : ` (\`${String(payment_method)}\` only)`);
}

function story(timeline: readonly (ChargeTimelineEntry | WithdrawalTimelineEntry)[]): string {
  return timeline
    .map((entry) => {
      const when = "after_expiry" in entry ? `${entry.after_expiry} after expiry` : entry.after;
      const why = entry.reason === undefined ? "" : ` \`${entry.reason}\``;
      return `${when}: ${entry.to}${why}`;
    })
    .join(", ");
}

export function nameTable(files: readonly ShippedFile[]): string {
  return table(
    "| name | |",
    files.map((file) => [`[\`${file.value.name}\`](../scenarios/${file.name})`, firstSentence(file)]),
  );
}

export function flowTable(files: readonly ShippedFile[]): string {
  return table(
    "| name | |",
    files.map((file) => [
      `[\`${file.name.replace(/^flow_|\.yaml$/g, "")}\`](../scenarios/${file.name})`,
      firstSentence(file),
    ]),
  );
}

function table(heading: string, rows: readonly (readonly string[])[]): string {
  return [heading, "|---|---|", ...rows.map((cells) => `| ${cells.join(" | ")} |`)].join("\n");
}
