import { defineConfig } from "vitest/config";

/** Tests that start processes, change what a process has one of, or measure: each file gets a process of its own. */
const alone = [
  "test/{cli,serve,storage}/**/*.test.ts",
  "test/*.test.ts",
  // Puts another module in the place of one.
  "test/engines/subscriptions/exactly-once-control.test.ts",
];

const shared = {
  root: new URL("..", import.meta.url).pathname,
  testTimeout: 20_000,
  hookTimeout: 30_000,
};

export default defineConfig({
  test: {
    // A changed golden file is read in `git diff`; the test only has to say that it changed.
    diff: { expand: false, truncateThreshold: 60 },
    // Every core: most of what runs here waits for disks, sockets and other processes.
    maxWorkers: "100%",
    projects: [
      {
        test: {
          ...shared,
          name: "processes",
          include: alone,
        },
      },
      {
        // Loading the service takes longer than most of these tests: the files of a worker share it.
        test: {
          ...shared,
          name: "service",
          include: ["test/**/*.test.ts"],
          exclude: [...alone, "test/bench/**"],
          isolate: false,
        },
      },
    ],
  },
});
