/** Errors of routes that process text from outside in worker threads (`lib/worker-tasks.ts`). */
export const textErrors = [
  {
    type: "unprocessable_content",
    code: "text_too_complex",
    when: "Processing the text takes too much time or memory",
  },
  {
    type: "service_unavailable",
    code: "workers_busy",
    when: "Too many texts are waiting to be processed; retry after Retry-After",
  },
] as const;
