import { unprocessableWhen } from "../lib/errors.ts";
/** Errors of routes that work on input of any length in worker threads (`lib/worker-tasks.ts`). */
export const textErrors = [
  unprocessableWhen("text_too_complex", "Processing the request takes too much time or memory"),
  {
    type: "service_unavailable",
    code: "workers_busy",
    when: "Too many requests are waiting to be processed; retry after Retry-After",
  },
] as const;
