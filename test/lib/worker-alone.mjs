import { createWorkerPool } from "../../server/lib/worker-pool.ts";

// Started by `worker-pool.test.ts`: it ends by itself although its pool stays open.
const pool = createWorkerPool({
  ...JSON.parse(process.argv[2]),
  entry: new URL("worker-child.mjs", import.meta.url),
});
console.log(await pool.run("a", { task: "echo", value: "done" }));
