import type { Html } from "../../lib/html.ts";

import type { Names } from "./names.ts";

export type Row = Readonly<Record<string, unknown>>;
/** Parameters of a page's path and query, as they were sent. */
export type Asked = Readonly<Record<string, string>>;

/** A column of a table: the member it shows, or what it makes of the row. */
export interface Column {
  readonly title: string;
  readonly of: string | ((row: Row, asked: Asked) => Html | string);
}

export interface Filter {
  readonly name: string;
  readonly label: string;
  /** Choices of a list; a free text without. */
  readonly options?: readonly string[];
}

/** A button, with the fields that it asks for. It calls an admin route. */
export interface Action {
  readonly route: string;
  readonly label: string;
  readonly fields?: readonly ActionField[];
  /** Where the route and the page name a parameter differently: the route's name → the page's, or the row's member. */
  readonly params?: Readonly<Record<string, string>>;
  /** What follows from it, in a sentence: asked on a page of its own before it is done. */
  readonly confirm?: string;
  /** What is shown when it is done. Default: the label. */
  readonly done?: (row: Row) => Html | string;
  /** The page after it, where its own page may be gone. Default: the same page. */
  readonly next?: string;
  /** Shown for this row only. */
  readonly when?: (row: Row) => boolean;
}

export interface ActionField {
  readonly name: string;
  readonly label: string;
  readonly type: "text" | "number" | "select" | "checkbox";
  /** `plans`: those of the configuration. */
  readonly options?: readonly string[] | "plans";
  /** What it holds at first; `:id` is the parameter of the page, `.base_plan` the member of its row. */
  readonly value?: string;
  readonly isOptional?: true;
}

/** A page of the console: a view on one admin route. */
export interface View {
  /** Below `/_`, with `:name` parameters. */
  readonly path: string;
  readonly title: string;
  /** The admin route that it shows. */
  readonly route: string;
  /** In the navigation. */
  readonly isMain?: true;
  readonly about?: string;
  readonly filters?: readonly Filter[];
  /** Of a list; one thing is shown member by member. */
  readonly columns?: readonly Column[];
  readonly actions?: readonly Action[];
  /** A button in each row; its `params` name members of the row. */
  readonly rowAction?: Action;
  /** Of one thing: shown in another way than member by member. */
  readonly shape?: (row: Row) => Html;
  /** Further reading: other pages about this one. */
  readonly related?: (row: Row, asked: Asked) => readonly { readonly href: string; readonly label: string }[];
  /** What an empty list means, and what to do. */
  readonly empty?: string;
  /** A drawing above the table. */
  readonly picture?: (rows: readonly Row[], names: Names) => Html | null;
  /** It shows another page of the console in a frame. */
  readonly frames?: true;
  /** Follows a stream of events, where script runs. */
  readonly live?: true;
}

/** A member as text; "" for none. */
export const text = (row: Row, name: string): string => {
  const value = row[name];
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
};

const NAMES = ["name", "email", "identifier", "subject", "url", "id"];

/** What people call a thing; its id where it has no name. */
export const nameOf = (row: Row): string =>
  NAMES.map((name) => text(row, name)).find((value) => value !== "") ?? "";

const isRow = (value: unknown): value is Row => typeof value === "object" && value !== null;

/** A member that is a list of things; empty for anything else. */
export const rowsOf = (value: unknown): readonly Row[] => (Array.isArray(value) ? value.filter(isRow) : []);

/** The parameters of a page's path. */
export const namesIn = (path: string): string[] =>
  Array.from(path.matchAll(/:(\w+)/g), ([, name = ""]) => name);
