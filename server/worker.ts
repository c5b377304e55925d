import { readdirSync } from "node:fs";
import { setPriority } from "node:os";
import { isMainThread } from "node:worker_threads";

import { runWorkerTask } from "./lib/worker-tasks.ts";

let isBusy = false;
// Requests go first: on Linux this is the priority of a thread, elsewhere it would be that of the process.
if (isMainThread) beginProcess();
else if (process.platform === "linux") setPriority(10);

/** A process of one task at a time: all of its threads give way, and it ends with its parent, which ends its tasks in order. */
function beginProcess(): void {
  const threads = process.platform === "linux" ? readdirSync("/proc/self/task").map(Number) : [process.pid];
  for (const thread of threads) setPriority(thread, 10);
  // A signal to all processes of a service or a terminal: the parent finishes what it has accepted.
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => void (isBusy || process.exit()));
  process.on("disconnect", () => process.exit());
}

/** Modules that declare worker tasks, by the first part of their ids: a thread loads those that it needs. */
const TASK_MODULES: Readonly<Record<string, () => Promise<unknown>>> = {
  ai: () => import("./ai/tasks.ts"),
  answeros: () =>
    Promise.all([
      import("./engines/answeros/services/page-tasks.ts"),
      import("./engines/answeros/services/import-tasks.ts"),
    ]),
  cart: () => import("./engines/cart/services/evaluation-tasks.ts"),
  catering: () => import("./engines/catering/services/calendar-tasks.ts"),
  content: () => import("./engines/content/services/text-tasks.ts"),
  delivery: () => import("./engines/delivery/services/recurrence-tasks.ts"),
  images: () => import("./core/image-tasks.ts"),
  menus: () => import("./engines/menus/services/read-document.ts"),
  privacy: () => import("./operations/privacy/archive-tasks.ts"),
  reviews: () => import("./engines/reviews/services/read-rows.ts"),
  tiers: () =>
    Promise.all([
      import("./engines/tiers/services/plan-members.ts"),
      import("./engines/tiers/services/replay-tasks.ts"),
    ]),
  text: () => import("./lib/text/tasks.ts"),
};

/** Entry point of the threads: runs one task. */
export default async function work(message: {
  id: string;
  module?: string;
  input: unknown;
}): Promise<unknown> {
  isBusy = true;
  try {
    const [name = ""] = message.id.split(".");
    await (message.module === undefined ? TASK_MODULES[name]?.() : import(message.module));
    return await runWorkerTask(message);
  } finally {
    isBusy = false;
  }
}
