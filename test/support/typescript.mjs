import { register } from "node:module";

// Node 20 reads no TypeScript: what tests start in worker threads is transformed when it is loaded.
register("./typescript-hooks.mjs", import.meta.url);
