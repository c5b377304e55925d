import { openFsDriver } from "../../server/storage/fs.ts";
import { conformance } from "./conformance.ts";
import type { Subject, TestClock } from "./conformance.ts";
import { makeFolder } from "./folders.ts";

conformance({
  name: "fs",
  async open(clock) {
    const folder = await makeFolder();
    return openSubject(folder, clock);
  },
});

/** Small segments, and a cache that holds next to nothing: rotation, rewriting and reading from the log all take part. */
async function openSubject(
  folder: Awaited<ReturnType<typeof makeFolder>>,
  clock: TestClock,
): Promise<Subject> {
  const driver = await openFsDriver({ base: folder.path, clock, segmentBytes: 8192, cacheBytes: 512 });
  return {
    driver,
    async reopen() {
      await driver.close();
      return openSubject(folder, clock);
    },
    async dispose() {
      await driver.close();
      await folder.remove();
    },
  };
}
