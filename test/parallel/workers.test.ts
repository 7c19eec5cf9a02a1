import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { Command } from "../support/process-command.js";
import { Receiver } from "../support/receiver-server.js";

/** The worker's number determines its calls. */
interface Assignment {
  readonly number: number;
  readonly namespace: string;
}

interface Course {
  /** Every response, stream message and webhook as text. */
  readonly lines: readonly string[];
  /** Workers whose events its receiver got. */
  readonly heard: readonly string[];
  /** Workers whose events were sent to the URL of their namespace. */
  readonly heardAtHub: readonly string[];
}

const SERVER = [
  "start --json --port 0 --auto-namespaces --clock manual --start-time 2026-03-01T09:00:00Z",
  "--seed everybody --rate-limit 30 --public-url http://pay.test",
]
  .join(" ")
  .split(" ");

/** Runs all workers together on one server. */
async function takeTogether(assignments: readonly Assignment[]): Promise<Course[]> {
  const hub = await Receiver.open();
  const hubUrl = new URL(hub.url).origin;
  const server = new Command([...SERVER, "--webhook-url", `${hubUrl}/{namespace}/hooks`]);
  const workers: Worker[] = [];
  try {
    const { port } = await server.ready();
    for (const assignment of assignments) {
      const workerData = { ...assignment, url: `http://127.0.0.1:${port}`, hub: hubUrl };
      workers.push(new Worker(new URL("./support/worker.mjs", import.meta.url), { workerData }));
    }
    await Promise.all(workers.map((worker) => once(worker, "message")));
    const results = workers.map((worker) => once(worker, "message"));
    for (const worker of workers) worker.postMessage("begin");
    const courses = (await Promise.all(results)) as [Omit<Course, "heardAtHub">][];
    return courses.map(([course], index) => ({
      ...course,
      heardAtHub: hub.received
        .filter(({ response }) => response.req.url === `/${assignments[index]!.namespace}/hooks`)
        .map(({ body }) => workerOf(body)),
    }));
  } finally {
    for (const worker of workers) await worker.terminate();
    await server.stop();
    await hub.close();
  }
}

/** Runs each worker on its own server. */
async function takeAlone(assignments: readonly Assignment[]): Promise<Course[]> {
  const courses: Course[] = [];
  const waiting = assignments.map((assignment, index) => ({ assignment, index }));
  const takeNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      courses[next.index] = (await takeTogether([next.assignment]))[0]!;
  };
  await Promise.all([takeNext(), takeNext()]);
  return courses;
}

/** Reads the worker's number from an object. */
function workerOf(body: string): string {
  const { data } = JSON.parse(body) as { data: { worker?: string; metadata?: { worker: string } } };
  return (data.metadata?.worker ?? data.worker)!;
}

/** Number of characters shown around the first difference. */
const SHOWN = 200;

/** Returns the text around the first difference, or undefined. */
function firstDifference(one: Course, other: Course): string | undefined {
  const length = Math.max(one.lines.length, other.lines.length);
  const line = Array.from({ length }, (_, at) => at).find((at) => one.lines[at] !== other.lines[at]);
  if (line === undefined) return undefined;
  const [here = "", there = ""] = [one.lines[line], other.lines[line]];
  let at = 0;
  while (here[at] === there[at]) at++;
  const part = (text: string) => text.slice(Math.max(0, at - SHOWN), at + SHOWN);
  return `line ${line}, character ${at}: ${here.split("\n", 1)}\n${part(here)}\n---\n${part(there)}`;
}

function owners(heard: readonly string[]): string[] {
  return [...new Set(heard)];
}

describe("three workers on one server, a namespace each", () => {
  it("three concurrent workers get the same responses as when run alone", async () => {
    const assignments = Array.from({ length: 3 }, (_, number) => ({ number, namespace: `worker-${number}` }));
    const together = await takeTogether(assignments);
    const alone = await takeAlone(assignments);
    for (const { number } of assignments) {
      const [course, expected] = [together[number]!, alone[number]!];
      expect(firstDifference(course, expected), `worker ${number}`).toBeUndefined();
      expect(expected.lines.length).toBeGreaterThan(500);
      expect(owners(course.heard)).toEqual([String(number)]);
      expect(owners(course.heardAtHub)).toEqual([String(number)]);
      expect(course.heardAtHub.length).toBe(expected.heardAtHub.length);
    }
    // Different transcripts make the comparison meaningful.
    expect(new Set(together.map(({ lines }) => lines.join())).size).toBe(3);
  });
});

describe("the check can fail", () => {
  it("two workers in one namespace influence each other", async () => {
    const assignments: Assignment[] = [3, 4].map((number) => ({ number, namespace: "shared" }));
    const [alone] = await takeAlone(assignments.slice(0, 1));
    const together = await takeTogether(assignments).catch((error: Error) => error);
    // The workers may disturb each other so much that one fails.
    if (together instanceof Error) return expect(together).toBeInstanceOf(TypeError);
    expect(firstDifference(together[0]!, alone!)).toBeDefined();
    expect(owners(together[0]!.heardAtHub).length).toBe(2);
  });
});
