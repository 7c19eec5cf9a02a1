import { type Advice, adviceLine } from "../report/advice-text.js";
import type { ClientCommand } from "./row.js";

/** What the sandbox says of the app. */
export const INSIGHT_COMMANDS: readonly ClientCommand[] = [
  {
    usage: "advice",
    says: "what the app did against the service's advice, and what to do instead",
    example: "payments-sandbox advice",
    plain: {
      call: async ({ connection }) => connection.get("/advice"),
      print: ({ items }) => (items as Advice[]).map((one) => `${adviceLine(one)}\n`).join("") || "none\n",
    },
  },
];
