import { readdirSync, readFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";

import { redrawImage } from "../../server/core/image-tasks.ts";

// Started by `image-tasks.test.ts`: redraws an image, and is killed while the process that did so waits for another.
const picture = new Uint8Array(await buffer(process.stdin));
const maxMb = () => process.resourceUsage().maxRSS / 1_024;
const before = maxMb();
const image = await redrawImage("sto_a", picture);
const moreMb = maxMb() - before;
const parentOf = (pid) => {
  try {
    // After the name in parentheses: the state and the parent.
    return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[1]);
  } catch {
    return null;
  }
};
const child = readdirSync("/proc").find((pid) => /^\d+$/.test(pid) && parentOf(pid) === process.pid);
process.stdout.write(JSON.stringify({ isRedrawn: image !== null, moreMb, child }), () =>
  process.kill(process.pid, "SIGKILL"),
);
