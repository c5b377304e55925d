/**
 * Contract tests for packages that extend the platform, exported as `storefront-platform/testing`. They run under vitest, which is an
 * optional peer dependency: nothing else of the package loads it.
 */
export { engineContract } from "./contract/engine.ts";
export { conformance as driverConformance } from "./storage/conformance.ts";
export type { ConformanceOptions, Subject, TestClock } from "./storage/conformance.ts";
