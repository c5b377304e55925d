import type { H3Plugin } from "h3";
import { z } from "zod";

import { ConfigError } from "./error.ts";
import { toPath } from "./problems.ts";
import { formatPath } from "./tree.ts";

/** What a configuration can contain in addition to settings: code. */
export interface Extensions {
  /** h3 plugins. Each gets the app before the platform adds its routes, and can add routes and middleware. */
  readonly plugins?: readonly H3Plugin[] | undefined;
}

const isPlugin = (value: unknown): value is H3Plugin => typeof value === "function";

const Extensions = z.object({
  plugins: z
    .array(z.custom<H3Plugin>(isPlugin, "expected a function"), { error: "expected a list of functions" })
    .optional(),
});

/** Separates code from settings: it has no place in the environment, in files of JSON or in what is printed. */
export function splitExtensions(
  exported: object,
  subject: string,
): { readonly settings: Readonly<Record<string, unknown>>; readonly extensions: Extensions } {
  const { plugins, ...settings }: Readonly<Record<string, unknown>> = { ...exported };
  const parsed = Extensions.safeParse({ plugins });
  if (parsed.success) return { settings, extensions: parsed.data };
  const problems = parsed.error.issues.map(({ path, message }) => ({
    path: formatPath(toPath(path)),
    message,
    origin: subject,
  }));
  throw new ConfigError(subject, problems);
}
