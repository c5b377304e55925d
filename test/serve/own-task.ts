import { isMainThread } from "node:worker_threads";

import { defineWorkerTask } from "../../server/engine.ts";

/** A task as a module of another package would declare it: threads load this file by its own address. */
export const countCodes = defineWorkerTask({
  id: "gift_cards.codes",
  module: import.meta.url,
  size: (text: string) => text.length,
  run: (text: string) => ({ codes: text.split("\n").filter((line) => line !== "").length, isMainThread }),
});
