import { defineConfig } from "vitest/config";

/**
 * Tests with real systems: servers, proxies, browsers and tools of others in processes of their own, processes that are killed,
 * disks that fail at every write. Each file gets a process of its own, without the service in it. `npm run test:systems`
 * runs them.
 */
export const systems = [
  "test/attack/**/*.test.ts",
  "test/cli/**/{process,shells,storage,storage-process}.test.ts",
  "test/contract/{prism,tools,twelfth}.test.ts",
  "test/engines/reviews/http/photo-store.test.ts",
  "test/mail/build.test.ts",
  "test/engines/subscriptions/{exactly-once,exactly-once-control,stripe-exactly-once}.test.ts",
  "test/pages/{browser,console-pages,customer-faces,customer-page,form-steps,hosted-fit,hostile-data,hostile-html,own-domain,payments-guide,published,screenshots,storefront}.test.ts",
  "test/serve/{charge,export-memory,kill,kill-files,nodes,nodes-faults,nodes-jobs,packed,packed-alone,process,replaced,six,tails}.test.ts",
  "test/storage/{fs-crash,fs-processes,migrate}.test.ts",
  "test/storage/{bridge-redis,unstorage-redis,redis,redis-cluster,redis-faults,redis-gateway,redis-histories,redis-reads}.test.ts",
  "test/storage/{s3,s3-histories,s3-processes,s3-server}.test.ts",
];

/**
 * What counts requests that are lost under load: another suite on the same cores would be counted with it. And the bench, whose modules
 * are compiled into the build that the others use, and how the work of reading grows, which is measured by CPU time.
 */
export const alone = ["test/serve/proxies.test.ts", "test/bench/*.test.ts", "test/lib/text/growth.test.ts"];

/** What requests and jobs take with the largest documents and the longest lists that are accepted: CPU time and turns of the event loop. */
export const sizes = [
  "test/http/event-loop.test.ts",
  "test/**/{costly,crowded}.test.ts",
  "test/**/{costly,large,long,many,wide}-*.test.ts",
];

const shared = {
  root: new URL("..", import.meta.url).pathname,
  testTimeout: 60_000,
  hookTimeout: 90_000,
  // What a test waits for comes late on a busy machine: only the time of the test itself ends a wait.
  expect: { poll: { timeout: 50_000 } },
  setupFiles: [
    "test/support/seed.ts",
    "test/support/failures.ts",
    "test/support/emitted-events.ts",
    "test/support/stored-states.ts",
  ],
  globalSetup: "test/support/compiled-worker.ts",
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
          name: "systems",
          include: systems,
        },
      },
      {
        test: {
          ...shared,
          name: "alone",
          include: alone,
          // After all others.
          sequence: { groupOrder: 1 },
        },
      },
      {
        // Loading the service takes longer than most of these tests: the files of a worker share it.
        test: {
          ...shared,
          name: "service",
          include: ["test/**/*.test.ts"],
          exclude: [...systems, ...alone, ...sizes, "test/clients/**", "**/node_modules/**"],
          isolate: false,
        },
      },
      {
        test: {
          ...shared,
          name: "sizes",
          include: sizes,
          isolate: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
