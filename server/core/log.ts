/** A structured log; never given a key, a token or a body. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const silentLog: Log = { debug: noop, info: noop, warn: noop, error: noop };

function noop(): void {
  // A silent log drops every line.
}
