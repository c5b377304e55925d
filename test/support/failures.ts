import { beforeEach } from "vitest";

// A line of a message that begins like one of a stack (`at https://…`) ends the report: nothing says which test failed, or why.
beforeEach(({ onTestFailed }) =>
  onTestFailed(({ task }) => {
    for (const error of task.result?.errors ?? [])
      if (error.stack !== undefined) error.stack = error.stack.replace(/^(\s*)at (?=.*\bhttps?:)/gm, "$1At ");
  }),
);
