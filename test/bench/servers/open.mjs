// Opens the store of argv[2] and tells how long it took and what it holds in memory.
import { openFsDriver } from "../../../dist/bench/server/storage/fs.js";

const used = () => {
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1_048_576;
};
const before = used();
const started = process.hrtime.bigint();
const store = await openFsDriver({ base: process.argv[2], clock: { now: () => Date.now() } });
const milliseconds = Number(process.hrtime.bigint() - started) / 1e6;
const megabytes = used() - before;
console.log(JSON.stringify({ milliseconds, megabytes }));
await store.close();
