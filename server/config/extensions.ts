import type { H3Plugin } from "h3";
import type { Transport, TransportOptions } from "nodemailer";
import { z } from "zod";

import { OWN_PROVIDERS, PROVIDER_ID } from "../core/ai.ts";
import type { AiProvider } from "../core/ai.ts";
import type { Engine } from "../core/engine.ts";
import type { Hook, Hooks } from "../core/hooks.ts";

/** What `createTransport` of nodemailer takes: a transport, or the options of one (`{ pool: true, … }`, `{ SES: … }`, …). */
export type NodemailerTransport = Transport | (TransportOptions & Readonly<Record<string, unknown>>);

/** What a configuration can contain in addition to settings: code. */
export interface Extensions {
  /** h3 plugins. Each gets the app before the platform adds its routes, and can add routes and middleware. */
  readonly plugins?: readonly H3Plugin[] | undefined;
  /** Engines of other packages. Their names, routes and jobs are checked with those of the platform. */
  readonly engines?: readonly Engine[] | undefined;
  /** Code around routes of engines, by the id of the route. */
  readonly hooks?: Hooks | undefined;
  /** AI providers and answer engines of other protocols than that of OpenAI. */
  readonly aiProviders?: readonly AiProvider[] | undefined;
  /** `mail.transport`, where it is an object and not the name of a transport. */
  readonly mailTransport?: NodemailerTransport | undefined;
}

const isPlugin = (value: unknown): value is H3Plugin => typeof value === "function";
const ENGINE_NAME = /^[a-z][a-z0-9_]{1,31}$/;
const isEngine = (value: unknown): value is Engine =>
  typeof value === "object" &&
  value !== null &&
  "name" in value &&
  ENGINE_NAME.test(String(value.name)) &&
  ["routes", "jobs", "hooks", "links", "events"].every((list) => Array.isArray(Reflect.get(value, list)));
const isHook = (value: unknown): value is Hook =>
  typeof value === "object" &&
  value !== null &&
  Object.entries(value).every(
    ([name, part]) =>
      (name === "before" || name === "after") && (part === undefined || typeof part === "function"),
  );
const isProvider = (value: unknown): value is AiProvider =>
  typeof value === "object" &&
  value !== null &&
  "id" in value &&
  PROVIDER_ID.test(String(value.id)) &&
  !OWN_PROVIDERS.includes(String(value.id)) &&
  "models" in value &&
  Array.isArray(value.models) &&
  value.models.length > 0 &&
  value.models.every((model) => typeof model === "string") &&
  "write" in value &&
  typeof value.write === "function";
const isTransport = (value: unknown): value is NodemailerTransport =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** They are no settings: code has no place in the environment, in files of JSON or in what is printed. */
export const Extensions = z.object({
  plugins: z
    .array(z.custom<H3Plugin>(isPlugin, "expected a function"), { error: "expected a list of functions" })
    .optional(),
  engines: z
    .array(
      z.custom<Engine>(isEngine, "expected an engine, made with defineEngine of storefront-platform/engine"),
      { error: "expected a list of engines" },
    )
    .optional(),
  hooks: z
    .record(z.string(), z.custom<Hook>(isHook, "expected { before, after }, functions both"))
    .optional(),
  aiProviders: z
    .array(
      z.custom<AiProvider>(isProvider, "expected { id, models, write }, with an id such as perplexity"),
      {
        error: "expected a list of providers",
      },
    )
    .optional(),
  mailTransport: z.custom<NodemailerTransport>(isTransport).optional(),
});
