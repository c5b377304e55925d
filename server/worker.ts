import { setPriority } from "node:os";

import { runWorkerTask } from "./lib/worker-tasks.ts";

// Requests go first: on Linux this is the priority of the thread, elsewhere it would be that of the process.
if (process.platform === "linux") setPriority(10);

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
  const [name = ""] = message.id.split(".");
  await (message.module === undefined ? TASK_MODULES[name]?.() : import(message.module));
  return runWorkerTask(message);
}
