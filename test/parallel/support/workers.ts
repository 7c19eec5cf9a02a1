import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { Command } from "../../support/process-command.js";
import { Receiver } from "../../support/receiver-server.js";

/** The worker's number determines its calls. */
export interface Assignment {
  readonly number: number;
  readonly namespace: string;
}

export interface Course {
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
export async function takeTogether(assignments: readonly Assignment[]): Promise<Course[]> {
  const hub = await Receiver.open();
  const hubUrl = new URL(hub.url).origin;
  const server = new Command([...SERVER, "--webhook-url", `${hubUrl}/{namespace}/hooks`]);
  const workers: Worker[] = [];
  try {
    const { port } = await server.ready();
    for (const assignment of assignments) {
      const workerData = { ...assignment, url: `http://127.0.0.1:${port}`, hub: hubUrl };
      workers.push(new Worker(new URL("./worker.mjs", import.meta.url), { workerData }));
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
export async function takeAlone(assignments: readonly Assignment[]): Promise<Course[]> {
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
