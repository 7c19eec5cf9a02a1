import { once } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import { takeCourse } from "./course.mjs";

/** Reports that it is ready, waits for the start signal, and makes all calls. */
const { lines, heard } = await takeCourse({
  ...workerData,
  begin: async () => {
    parentPort.postMessage("ready");
    await once(parentPort, "message");
  },
});
parentPort.postMessage({ lines, heard });
parentPort.close();
