/**
 * Why a server could not start, in words for the person who started it:
 * `PORT_IN_USE` and `ADDRESS` name the address, `CERTIFICATE` the file.
 */
export class ServeError extends Error {
  readonly code: "PORT_IN_USE" | "ADDRESS" | "CERTIFICATE";
  /** What to do about it. */
  readonly hint: string;
  constructor(code: ServeError["code"], message: string, options: { hint: string; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "ServeError";
    this.code = code;
    this.hint = options.hint;
  }
}
