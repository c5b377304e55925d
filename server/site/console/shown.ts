import type { FieldError } from "../../lib/errors.ts";
import type { Html } from "../../lib/html.ts";
import type { Session } from "../../operations/console-session.ts";
import type { Names } from "./names.ts";
import type { Action, Asked, Row, View } from "./view.ts";

/** A page as it is about to be drawn. */
export interface Shown {
  readonly view: View;
  /** Parameters of the path and of the query, as they were sent. */
  readonly asked: Asked;
  readonly session: Session;
  /** Whether the operator may call an admin route. */
  readonly can?: (route: string) => boolean;
  /** Ids of the configured plans. */
  readonly plans?: readonly string[];
  /** What the page is about. */
  readonly row?: Row;
  /** Of what its rows refer to. */
  readonly names?: Names;
  /** What came of the latest action. */
  readonly notice?: Html | null;
  /** The action that is asked about before it is done. */
  readonly action?: Action | undefined;
  /** Parameters of that action by the row that it is about. */
  readonly ofRow?: Asked;
  /** The action that was refused. */
  readonly refused?: Refused;
}

/** An action that was not done: its form is shown again with what was typed. */
export interface Refused {
  readonly action: Action;
  readonly sent: Readonly<Record<string, string>>;
  readonly errors: readonly FieldError[];
}
