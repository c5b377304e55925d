import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    include: ["test/**/*.test.ts"],
    exclude: ["test/bench/**", "node_modules/**"],
    // A changed golden file is read in `git diff`; the test only has to say that it changed.
    diff: { expand: false, truncateThreshold: 60 },
    // Every core: most of what runs here waits for disks, sockets and other processes.
    maxWorkers: "100%",
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
