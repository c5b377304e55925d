import { execFileSync } from "node:child_process";
import { buffer } from "node:stream/consumers";

import { redrawImage } from "../../server/core/image-tasks.ts";

// Started by `image-tasks.test.ts`: redraws an image, and is killed while the process that did so waits for another.
const picture = new Uint8Array(await buffer(process.stdin));
const maxMb = () => process.resourceUsage().maxRSS / 1_024;
const before = maxMb();
const image = await redrawImage("sto_a", picture);
const moreMb = maxMb() - before;
const child = Number(
  execFileSync("pgrep", ["-P", String(process.pid), "-f", "tinypool"], { encoding: "utf8" }),
);
process.stdout.write(JSON.stringify({ isRedrawn: image !== null, moreMb, child }), () =>
  process.kill(process.pid, "SIGKILL"),
);
