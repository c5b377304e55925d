import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

import sharp from "sharp";
import { expect, it } from "vitest";

import { redrawImage } from "../../server/core/image-tasks.ts";

const HOOKS = new URL("../support/typescript.mjs", import.meta.url).href;
const SCRIPT = new URL("image-alone.mjs", import.meta.url).pathname;

it("keeps what an image of many pixels takes out of the memory of the server, and ends with it", async () => {
  const size = { width: 3_000, height: 3_000, channels: 4, background: "green" } as const;
  const picture = await sharp({ create: size }).webp().toBuffer();
  const server = spawn(process.execPath, ["--import", HOOKS, SCRIPT], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  server.stdin.end(picture);
  const { child, isRedrawn, moreMb } = JSON.parse(await text(server.stdout));
  // In the process itself, one of 24 million pixels took 330 MB.
  expect(isRedrawn).toBe(true);
  expect(moreMb).toBeLessThan(60);
  expect(child).toMatch(/^\d+$/);
  // The script was killed.
  for (let wait = 0; wait < 100 && existsSync(`/proc/${child}`); wait += 1) await sleep(50);
  expect(existsSync(`/proc/${child}`)).toBe(false);
});

it("refuses an interlaced PNG of more than half the pixels that another may have", async () => {
  const size = { width: 5_100, height: 5_100, channels: 3, background: "green" } as const;
  const picture = await sharp({ create: size }).png({ progressive: true }).toBuffer();
  // One of 50 million pixels took 830 MB.
  expect(await redrawImage("test", new Uint8Array(picture))).toBeNull();
});
