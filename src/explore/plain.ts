import { isRecord } from "../files/documents.js";
import { leaves } from "../scenario/running/report.js";
import { oneLine } from "../schema/printable.js";
import { UserError } from "../schema/user-error.js";
import { compiledPlain } from "./compile.js";
import type { Flow } from "./flow.js";
import { NOBODY, type Verdict, verdictOn } from "./judge.js";
import type { ExploreFinding } from "./report.js";
import type { Carried, Runs } from "./runs.js";
import { behaviourOf, failedStep, hasFailed } from "./trace.js";

/** What two runs with nothing going wrong came to. */
export interface Plain {
  readonly runs: readonly [Carried, Carried];
  /** In what they differ; undefined where they do not. */
  readonly differing: string | undefined;
}

/**
 * The flow as it is written, which has to pass, and two runs that teach, to the good end; a finding where nothing has to
 * go wrong for the app to do so, or it has gone.
 *
 * @param over in a few words, why there is no time left; undefined while there is
 */
export async function plainRuns(
  flow: Flow,
  runs: Runs,
  over: () => string | undefined,
): Promise<Plain | ExploreFinding> {
  const { given: _given, ...written } = flow.raw;
  const plain = compiledPlain(flow);
  const ran: Carried[] = [];
  for (const [index, document] of [written, plain.document, plain.document].entries()) {
    const carried = await runs.carryOut({ document, roles: plain.roles });
    const why = over();
    if (why !== undefined) throw new UserError(`${flow.file}: ${why} before the app was seen to go right`);
    if (!carried.report.passed) return failed(flow, plain.roles, carried, index > 0);
    ran.push(carried);
  }
  const [, one, other] = ran as [Carried, Carried, Carried];
  const [first, second] = [one, other].map(({ seen, report }) => behaviourOf(seen, report).split("\n"));
  const differing = first!.find((line, index) => line !== second![index]) ?? second![first!.length];
  return { runs: [one, other], differing };
}

const LONGEST_SAID = 200;

function wasThere({ steps }: Carried["report"]): boolean {
  return leaves(steps).some(({ step: { kind, outcome } }) => kind === "app" && outcome === "passed");
}

/** What the app answered: it often tells why. */
function saying(got: unknown): string {
  const body = isRecord(got) ? got.body : undefined;
  if (body === undefined || body === null || body === "") return "";
  const text = oneLine(typeof body === "string" ? body.replace(/\s+/g, " ").trim() : JSON.stringify(body));
  return ` (${text.length > LONGEST_SAID ? `${text.slice(0, LONGEST_SAID)}…` : text})`;
}

function failed(
  flow: Flow,
  roles: Parameters<typeof verdictOn>[1],
  { report, seen }: Carried,
  isToTheEnd: boolean,
): ExploreFinding {
  const step = failedStep(report);
  const why = report.error ?? `${step?.title}: ${step?.failure?.message}${saying(step?.failure?.got)}`;
  if (!isToTheEnd && step?.failure?.message.endsWith(NOBODY) && !wasThere(report))
    throw new UserError(`${flow.file}: ${why}: start it first, or give its right URL`);
  const verdict = verdictOn(report, roles, seen);
  const isInTheEnd = isToTheEnd && roles[report.steps.findIndex(hasFailed)] !== "drive";
  if (typeof verdict !== "object" || !(isEnd(verdict) || isInTheEnd))
    throw new UserError(`${flow.file}: the flow fails with nothing going wrong: ${why}`);
  const message = isEnd(verdict)
    ? verdict.message
    : `with nothing going wrong, in the end: ${verdict.message}`;
  return { oracle: verdict.oracle, message, deviations: [] };
}

function isEnd({ isOver, isBroken }: Verdict): boolean {
  return isOver === true || isBroken === true;
}
