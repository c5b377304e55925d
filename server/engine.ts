/**
 * What an engine of another package is made of, exported as `storefront-platform/engine`. It follows semantic versioning:
 * CONTRIBUTING.md says what counts as a break.
 */
export { changeDue, eachDue, inBatches, removeOld } from "./core/batches.ts";
export { defineCollection, newestFirst, timeOrder } from "./core/collection.ts";
export type { Collection, Personal } from "./core/collection.ts";
export { defineEngine, seedSet } from "./core/engine.ts";
export type { Engine, EventType, Job, JobContext, SeedSet } from "./core/engine.ts";
export {
  ERASED,
  ERASED_EMAIL,
  customerSubject,
  mailSubject,
  refSubject,
  withoutMail,
} from "./core/personal.ts";
export type { Hook, Hooks } from "./core/hooks.ts";
export { resource } from "./core/resource.ts";
export { accepted, created, empty, item, list, made, ok, raw, values, withMembers } from "./core/reply.ts";
export { defineOpenRoute, defineRoute } from "./core/route.ts";
export type { Reply } from "./core/reply.ts";
export type { Ctx, OpenCtx, Route } from "./core/route.ts";
export {
  Currency,
  Id,
  Instant,
  ListQuery,
  LocalDate,
  LocalTime,
  Metadata,
  Minor,
  TimeZone,
  Version,
  resourceFields,
  withVersion,
} from "./core/schema.ts";
export type { RunTx, Stored, StoredPage, Tx } from "./core/tx.ts";
export { sendMail } from "./core/store-mail.ts";
export type { EngineMail } from "./core/store-mail.ts";
export { watch } from "./core/watch.ts";
export { z } from "zod";
export { Problem, fail, invalidField, invalidParameter } from "./lib/errors.ts";
export { defineWorkerTask } from "./lib/worker-tasks.ts";
export { allocate, mulBps, mulRatio, sum, times } from "./lib/money.ts";
