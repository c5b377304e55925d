import { createLog } from "../../server/observability/log.ts";
import { guardProcess } from "../../server/serve/process.ts";

// A guarded process in which an error goes uncaught: `throw` or `reject` as its argument. Lives for five seconds otherwise.
guardProcess(createLog({ level: "info", format: "json" }));
if (process.argv[2] === "reject") void Promise.reject(new Error("a bug of ours"));
else
  setTimeout(() => {
    throw new Error("a bug of ours");
  }, 1);
setTimeout(() => process.exit(0), 5_000);
