import type { H3Plugin } from "h3";
import type { Transport, TransportOptions } from "nodemailer";
import { z } from "zod";

/** What `createTransport` of nodemailer takes: a transport, or the options of one (`{ pool: true, … }`, `{ SES: … }`, …). */
export type NodemailerTransport = Transport | (TransportOptions & Readonly<Record<string, unknown>>);

/** What a configuration can contain in addition to settings: code. */
export interface Extensions {
  /** h3 plugins. Each gets the app before the platform adds its routes, and can add routes and middleware. */
  readonly plugins?: readonly H3Plugin[] | undefined;
  /** `mail.transport`, where it is an object and not the name of a transport. */
  readonly mailTransport?: NodemailerTransport | undefined;
}

const isPlugin = (value: unknown): value is H3Plugin => typeof value === "function";
const isTransport = (value: unknown): value is NodemailerTransport =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** They are no settings: code has no place in the environment, in files of JSON or in what is printed. */
export const Extensions = z.object({
  plugins: z
    .array(z.custom<H3Plugin>(isPlugin, "expected a function"), { error: "expected a list of functions" })
    .optional(),
  mailTransport: z.custom<NodemailerTransport>(isTransport).optional(),
});
