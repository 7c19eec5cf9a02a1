import { pageQuerySchema } from "../../../../schema/requests.js";
import { type ControlDoc, faulty, LIMIT, notFound, OFFSET, query } from "../doc.js";
import * as example from "../examples.js";

export const PAGE = query(pageQuerySchema, { limit: LIMIT, offset: OFFSET });

const SANDBOX = { component: "Sandbox", examples: { "after a payment": example.SANDBOX } };
const NAMESPACE = { component: "Namespace", examples: { "a worker's": example.NAMESPACE } };
const TAKEN_KEY = { code: "NAMESPACE_EXISTS", message: "The API key belongs to another namespace" };
const NO_SNAPSHOT = notFound('There is no snapshot "paid"');

export const WORLD_DOCS: Readonly<Record<string, ControlDoc>> = {
  getHealth: {
    tag: "Sandbox",
    summary: "Ask whether the server is ready",
    says: "Answers 200 as soon as it is.",
    answer: { component: "Health", says: "It is.", examples: { ready: example.HEALTH } },
  },
  getSandbox: {
    tag: "Sandbox",
    summary: "Read what the sandbox is",
    says: "Version, namespace, keys, seed, clock, and how much there is.",
    answer: { ...SANDBOX, says: "The sandbox." },
  },
  resetSandbox: {
    tag: "Sandbox",
    summary: "Go back to the start",
    says:
      "Puts the namespace back to its initial state. Webhooks and keys stay unless told otherwise; snapshots and other " +
      "namespaces stay always. Work in flight is dropped. A manual clock goes back to where it started, a running one " +
      "to wall time.",
    body: { component: "ResetRequest", examples: { "webhooks stay": { keep: ["webhooks"] } } },
    waits: true,
    answer: { ...SANDBOX, says: "It is as it was." },
    invalid: { "unknown field": faulty({ keeps: "is not a known field" }) },
  },
  listNamespaces: {
    tag: "Namespaces",
    summary: "List namespaces",
    says: "Every namespace, newest first.",
    query: PAGE,
    answer: {
      component: "NamespaceList",
      says: "A page.",
      examples: { "one of them": example.only(example.NAMESPACE) },
    },
  },
  createNamespace: {
    tag: "Namespaces",
    summary: "Make a namespace",
    says: "Makes a namespace that is not there yet.",
    body: { component: "NamespaceRequest", examples: { "a worker's": example.NAMESPACE_REQUEST } },
    answer: { ...NAMESPACE, says: "It is there." },
    conflicts: {
      "name taken": {
        code: "NAMESPACE_EXISTS",
        message: 'There is a namespace "worker-1" already',
      },
      "key taken": TAKEN_KEY,
    },
  },
  getNamespace: {
    tag: "Namespaces",
    summary: "Read a namespace",
    says: "One namespace.",
    answer: { ...NAMESPACE, says: "The namespace." },
    missing: notFound('There is no namespace "worker-1"'),
  },
  putNamespace: {
    tag: "Namespaces",
    summary: "Make sure of a namespace",
    says: "Makes the namespace unless it is there; one that is there stays as it is. May be repeated. One of an earlier run that could not be opened is tried again.",
    body: { component: "NamespaceRequest", examples: { "clock stands": { clock: "manual" } } },
    answer: { ...NAMESPACE, says: "It is there." },
    invalid: { "another name": faulty({ name: "must be the name in the path" }) },
    conflicts: { "key taken": TAKEN_KEY },
  },
  deleteNamespace: {
    tag: "Namespaces",
    summary: "Delete a namespace",
    says: "It goes with all that is in it, also where it could not be opened.",
    answer: {
      component: "NameDeleted",
      says: "It is gone.",
      examples: { gone: { name: "worker-1", deleted: true } },
    },
    forbidden: { "the default one": { code: "FORBIDDEN", message: "The default namespace stays" } },
    missing: notFound('There is no namespace "worker-1"'),
  },
  getState: {
    tag: "State",
    summary: "Export the state",
    says:
      "The whole state of the namespace as it is at this moment, to be put back here or elsewhere. It is written while " +
      "it is sent, whatever its size, and other calls are answered meanwhile.",
    answer: { component: "StateDump", says: "The state.", examples: { "cut short": example.STATE } },
  },
  putState: {
    tag: "State",
    summary: "Import a state",
    says:
      "Puts an exported state in the place of the namespace's own. All of it is looked at first, and what is wrong is " +
      "named by its place; then nothing has changed. What is made from now on has new ids. At most 511 MiB.",
    waits: true,
    body: { component: "StateDump", examples: { "cut short": example.STATE } },
    answer: { ...SANDBOX, says: "It is in place." },
    invalid: {
      "no export": faulty({ "collections.namespace": "is required" }),
      "a broken record": faulty({
        "collections.tasks.0.1.kind": "must be one of expire, timeline, settle, withdrawal, attempt",
      }),
    },
  },
  listSnapshots: {
    tag: "State",
    summary: "List snapshots",
    says: "The snapshots of the namespace, newest first.",
    query: PAGE,
    answer: { component: "SnapshotList", says: "A page.", examples: { one: example.only(example.SNAPSHOT) } },
  },
  createSnapshot: {
    tag: "State",
    summary: "Take a snapshot",
    says: "Keeps the state under a name; one of that name is written over. Deliveries under way are pending in it.",
    body: { component: "SnapshotRequest", examples: { named: { name: "paid" } } },
    answer: { component: "Snapshot", says: "It is kept.", examples: { kept: example.SNAPSHOT } },
  },
  restoreSnapshot: {
    tag: "State",
    summary: "Restore a snapshot",
    says: "The state is as it was, time included; the request journal and the rate windows are no part of it. What is made from now on has new ids. The snapshot stays.",
    waits: true,
    answer: { ...SANDBOX, says: "It is in place." },
    missing: NO_SNAPSHOT,
  },
  deleteSnapshot: {
    tag: "State",
    summary: "Delete a snapshot",
    says: "Nothing can be restored from it any more.",
    answer: {
      component: "NameDeleted",
      says: "It is gone.",
      examples: { gone: { name: "paid", deleted: true } },
    },
    missing: NO_SNAPSHOT,
  },
  getClock: {
    tag: "Clock",
    summary: "Read the clock",
    says: "What time it is, how time goes, and when the next thing is due.",
    answer: { component: "Clock", says: "The clock.", examples: { "it stands": example.CLOCK } },
  },
  setClock: {
    tag: "Clock",
    summary: "Set the clock",
    says: "Stops time, lets it run, or leaps ahead. What falls due on the way happens.",
    waits: true,
    body: {
      component: "ClockRequest",
      examples: { stop: { mode: "manual" }, "an hour a minute": { mode: "60x" } },
    },
    answer: { component: "Clock", says: "It is set.", examples: { "it stands": example.CLOCK } },
    invalid: { backwards: faulty({ now: "must not be earlier than the time it is" }) },
  },
  advanceClock: {
    tag: "Clock",
    summary: "Let time pass",
    says:
      "Leaps ahead and runs all that falls due on the way, in order: attempts begun at an instant are awaited before " +
      "time passes it. Answers when it is done. Deliveries to mailboxes are not waited for.",
    waits: true,
    body: {
      component: "AdvanceRequest",
      examples: { "half an hour": { by: "30m" }, "to the next thing": { until: "next" } },
    },
    answer: {
      component: "AdvanceReport",
      says: "How far it went.",
      examples: { "half an hour": example.ADVANCE_REPORT },
    },
    invalid: { backwards: faulty({ to: "must not be earlier than the time it is" }) },
  },
};
