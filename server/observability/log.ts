import { styleText } from "node:util";

import { pino } from "pino";

import type { Log } from "../core/log.ts";
import { KEY_PATTERN } from "../core/key-format.ts";
import { clean, cleanText, escapeControls } from "../lib/terminal-text.ts";

/** The log of a server process. */
export interface ServerLog extends Log {
  /** Writes what is still buffered; call it before the process ends. */
  flush(): void;
}

export interface LogOptions {
  readonly level: "silent" | "error" | "warn" | "info" | "debug";
  /** `json`: one object per line, for machines. `pretty`: one short line, for the person in front of `dev`. */
  readonly format: "json" | "pretty";
  readonly color?: boolean;
}

/** Takes finished lines, line break included. */
export interface LogSink {
  write(line: string): void;
  flush(): void;
}

/** Members that are never written, whatever they hold, at the top of a line or one level below. */
const SECRET_MEMBERS = [
  "authorization",
  "cookie",
  "api_key",
  "key",
  "plaintext",
  "token",
  "secret",
  "password",
  "pass",
  "body",
];
const REDACTED = "[redacted]";

/** Log lines for standard error. Keys, tokens and bodies stay out of it even if a caller passes one by mistake. */
export function createLog(options: LogOptions, sink: LogSink = openStderr()): ServerLog {
  const toLine = options.format === "json" ? maskSecrets : createPrinter(options.color ?? false);
  const logger = pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      messageKey: "message",
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: SECRET_MEMBERS.flatMap((name) => [name, `*.${name}`]),
        censor: REDACTED,
      },
    },
    { write: (line: string) => sink.write(toLine(escapeControls(line))) },
  );
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    flush: () => sink.flush(),
  };
}

/** Characters that wait for a reader that takes none: later lines are dropped, before they take the memory of the process. */
const WAITING_MAX = 16_777_216;

/** Standard error without waiting for it: a slow reader must not slow requests down. */
function openStderr(): LogSink {
  const destination = pino.destination({ dest: 2, sync: false, maxLength: WAITING_MAX });
  // The reader of the log has ended; the service goes on without a log.
  destination.on("error", () => undefined);
  return {
    write: (line) => void destination.write(line),
    flush() {
      try {
        destination.flushSync();
      } catch {
        // There is no channel left to report it on.
      }
    },
  };
}

/** The second net below `SECRET_MEMBERS`: what looks like a secret is masked wherever it occurs, in messages and stacks too. */
function maskSecrets(line: string): string {
  const masked = line.includes("plat_") ? line.replaceAll(KEY_PATTERN, `plat_$1_${REDACTED}`) : line;
  return /bearer |token=/i.test(masked)
    ? masked
        .replaceAll(/(bearer )[\w.~+/=-]+/gi, `$1${REDACTED}`)
        .replaceAll(/(token=)[\w.~%-]+/gi, `$1${REDACTED}`)
    : masked;
}

const COLOURS: Readonly<Record<string, "gray" | "green" | "yellow" | "red">> = {
  debug: "gray",
  info: "green",
  warn: "yellow",
  error: "red",
};

/** `09:41:07 info  request  GET delivery.zones.list 200 3 ms  req_01J…` */
function createPrinter(color: boolean): (line: string) => string {
  const paint = (style: Parameters<typeof styleText>[0], text: string): string =>
    color ? styleText(style, text, { validateStream: false }) : text;
  return (line) => {
    const { level, time, message, err, ...fields } = JSON.parse(maskSecrets(line));
    const name = paint(COLOURS[String(level)] ?? "gray", String(level).padEnd(5));
    const head = `${paint("gray", String(time).slice(11, 19))} ${name} ${clean(String(message))}`;
    const rest = message === "request" ? describeRequest(fields) : describe(fields);
    const stack = typeof err?.stack === "string" ? `\n${cleanText(err.stack)}` : "";
    return `${head}${rest === "" ? "" : `  ${rest}`}${stack}\n`;
  };
}

const describeRequest = (fields: Record<string, unknown>): string =>
  [fields.method, fields.route ?? "–", fields.status, `${textOf(fields.duration_ms)} ms`, fields.request_id]
    .map(textOf)
    .join(" ");

const describe = (fields: Record<string, unknown>): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}=${textOf(value)}`)
    .join(" ");

const textOf = (value: unknown): string =>
  typeof value === "string" ? clean(value) : escapeControls(JSON.stringify(value) ?? "");
