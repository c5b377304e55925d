import type { H3Plugin } from "h3";
import { z } from "zod";

/** What a configuration can contain in addition to settings: code. */
export interface Extensions {
  /** h3 plugins. Each gets the app before the platform adds its routes, and can add routes and middleware. */
  readonly plugins?: readonly H3Plugin[] | undefined;
}

const isPlugin = (value: unknown): value is H3Plugin => typeof value === "function";

/** They are no settings: code has no place in the environment, in files of JSON or in what is printed. */
export const Extensions = z.object({
  plugins: z
    .array(z.custom<H3Plugin>(isPlugin, "expected a function"), { error: "expected a list of functions" })
    .optional(),
});
