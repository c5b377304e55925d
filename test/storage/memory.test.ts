import { createMemoryDriver } from "../../server/storage/memory.ts";
import { conformance } from "./conformance.ts";

conformance({
  name: "memory",
  async open(clock) {
    const driver = createMemoryDriver({ clock });
    return { driver, dispose: () => driver.close() };
  },
});
