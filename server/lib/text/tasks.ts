import { defineWorkerTask } from "../worker-tasks.ts";
import type { TextInput } from "./model.ts";
import { toSafeHtml } from "./read.ts";

/** `toSafeHtml` for bodies of any length. */
export const renderSafeHtml = defineWorkerTask({
  id: "text.safe-html",
  size: ({ body }: Pick<TextInput, "body" | "format">) => body.length,
  run: toSafeHtml,
});
