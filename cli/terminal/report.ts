import { ConfigError } from "../../server/config/error.ts";
import { CliError, EXIT, Interrupted } from "./exit.ts";
import type { Failure } from "./exit.ts";
import type { Io } from "./io.ts";
import { clean, cleanText } from "../../server/lib/terminal-text.ts";
import { createStyle, toJson } from "./output.ts";

export interface ReportOptions {
  readonly json: boolean;
  readonly verbose: boolean;
  readonly color: boolean;
}

/**
 * Prints a failure to stderr and returns the exit code: what happened, where, why, and what to try next;
 * with `--json` as one document.
 */
export function report(error: unknown, io: Pick<Io, "stderr" | "env">, options: ReportOptions): number {
  if (error instanceof Interrupted) return error.exitCode;
  const failure = toFailure(error);
  if (options.json) {
    io.stderr.write(`${toJson(toDocument(failure))}\n`);
  } else if (error instanceof ConfigError) {
    io.stderr.write(`${cleanText(error.format())}\n`);
  } else {
    const red = createStyle(io.stderr, io.env, options.color, "red");
    io.stderr.write(`${toLines(failure, red).join("\n")}\n`);
  }
  if (options.verbose && error instanceof Error && !(error instanceof ConfigError)) {
    io.stderr.write(`${cleanText(error.stack ?? "")}\n`);
  }
  return failure.exitCode;
}

function toFailure(error: unknown): Failure {
  if (error instanceof CliError) return error.failure;
  if (error instanceof ConfigError) {
    return {
      type: "invalid_config",
      title: "Invalid configuration",
      detail: error.message,
      places: error.problems.map(({ path, message, origin }) => `${path} ${message} (${origin})`.trim()),
      exitCode: EXIT.usage,
      hint: "platform config check",
    };
  }
  if (isOfFiles(error)) {
    return {
      type: "file_error",
      title: "A file cannot be read or written",
      detail: error.message,
      // Not that of a usage error, after which systemd does not start the server again: a full disk passes.
      exitCode: EXIT.unreachable,
      hint: "check the path, its permissions and the space on the disk",
    };
  }
  return {
    type: "bug",
    title: "Unexpected error",
    detail: error instanceof Error ? error.message : String(error),
    exitCode: EXIT.bug,
    hint: "the same command with --verbose, which prints the stack trace",
  };
}

const FILE_CALLS =
  /^(?:access|chmod|copyfile|fsync|ftruncate|l?stat|mkd(?:ir|temp)|open|read|realpath|rename|rmdir|scandir|unlink|write)$/;

/** An error of the system about a file: a missing folder, missing rights, a full disk. */
const isOfFiles = (error: unknown): error is Error =>
  error instanceof Error && "syscall" in error && FILE_CALLS.test(String(error.syscall));

function toLines(
  { title, detail, where, requestId, places = [], hint }: Failure,
  red: (text: string) => string,
): string[] {
  const at = [where ?? "", requestId === undefined ? "" : `request ${requestId}`].filter(
    (part) => part !== "",
  );
  return [
    red(`✖ ${clean(title)}`),
    ...(at.length === 0 ? [] : [`  at   ${clean(at.join(", "))}`]),
    `  why  ${clean(detail)}`,
    ...places.map((place) => `       ${clean(place)}`),
    ...(hint === undefined ? [] : [`  try  ${clean(hint)}`]),
  ];
}

function toDocument({ type, title, status, detail, places = [], hint, exitCode, requestId, where }: Failure) {
  return {
    error: {
      type,
      title,
      ...(status === undefined ? {} : { status }),
      detail,
      ...(places.length === 0 ? {} : { places }),
    },
    ...(where === undefined ? {} : { where }),
    ...(hint === undefined ? {} : { hint }),
    exit_code: exitCode,
    ...(requestId === undefined ? {} : { request_id: requestId }),
  };
}
