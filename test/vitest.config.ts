import { defineConfig } from "vitest/config";

/**
 * Tests that start processes of our own, measure, or put another module in the place of one: each file gets a process of
 * its own, without the service in it. They run first, so that none of them is what the end of the run waits for.
 */
const alone = [
  "test/attack/**/*.test.ts",
  "test/cli/**/{process,shells,storage-process}.test.ts",
  "test/serve/{charge,kill,nodes,nodes-faults,nodes-jobs,process,proxies,replaced,six}.test.ts",
  "test/storage/{fs-crash,fs-processes,redis-faults,s3-processes}.test.ts",
  "test/engines/subscriptions/exactly-once-control.test.ts",
];

const shared = {
  root: new URL("..", import.meta.url).pathname,
  testTimeout: 20_000,
  hookTimeout: 30_000,
  setupFiles: ["test/support/seed.ts"],
  // Worker threads inherit it: they load the sources without vitest.
  execArgv: ["--import", new URL("./support/typescript.mjs", import.meta.url).href],
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
          exclude: [...alone, "test/bench/**", "test/clients/**"],
          isolate: false,
        },
      },
    ],
  },
});
