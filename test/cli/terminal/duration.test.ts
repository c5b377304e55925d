import { expect, it } from "vitest";

import { endAfter, pause } from "../../../cli/terminal/duration.ts";

it.each(["30d", "9w"])("%s is longer than a timer takes, and does not end at once", async (lasting) => {
  const end = endAfter(lasting);
  const stop = new AbortController();
  let isOver = false;
  const paused = pause(9 * 604_800_000, stop.signal).then(() => (isOver = true));
  // Beyond their maximum, timers fire after a millisecond.
  await pause(20, stop.signal);
  expect([end.aborted, isOver]).toEqual([false, false]);
  stop.abort();
  await paused;
});
