import { spawnSync } from "node:child_process";

/** True where the load generator wrk can be run. */
export const hasWrk = () => spawnSync("wrk", ["-v"], { stdio: "ignore" }).error === undefined;
