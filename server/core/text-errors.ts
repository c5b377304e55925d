/** Errors of routes that work on input of any length in worker threads (`lib/worker-tasks.ts`). */
export const textErrors = [
  {
    type: "unprocessable_content",
    code: "text_too_complex",
    when: "Processing the request takes too much time or memory",
  },
  {
    type: "service_unavailable",
    code: "workers_busy",
    when: "Too many requests are waiting to be processed; retry after Retry-After",
  },
] as const;
