import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, expect, it } from "vitest";

import { findRunningServer } from "../../../cli/client/run-file.ts";
import { startOf } from "../../../server/serve/process-start.ts";

const dir = mkdtempSync(join(tmpdir(), "run-file-"));
afterAll(() => rmSync(dir, { recursive: true }));

const found = (record: object) => {
  const file = join(dir, "run.json");
  writeFileSync(file, JSON.stringify({ url: "http://127.0.0.1:1", token: "t", ...record }));
  return findRunningServer(file)?.pid ?? null;
};

it.each([
  ["a process that lives", { pid: process.pid, started: startOf(process.pid) }, process.pid],
  ["one of which nobody knows when it began", { pid: process.pid, started: null }, process.pid],
  ["one that is gone", { pid: 2 ** 22 + 1 }, null],
])("takes %s for what it is", (_name, record, pid) => {
  expect(found(record)).toBe(pid);
});

it.skipIf(startOf(process.pid) === null)(
  "takes a number that was given again for a server that is gone",
  () => {
    expect(startOf(process.ppid)).toMatch(/^\d+$/);
    expect(found({ pid: process.pid, started: "1" })).toBeNull();
    expect(startOf(2 ** 22 + 1)).toBeNull();
  },
);
