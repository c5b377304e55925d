import type { LiveMenu } from "../../../engines/menus/schema/live.ts";

/** How nodes are created: in a browser or as HTML. */
interface Tools<N> {
  readonly el: (
    tag: string,
    attributes: Readonly<Record<string, string | null>>,
    ...children: readonly Child<N>[]
  ) => N;
  readonly money: (amount: number, currency: string, lang: string) => string;
}

export type Child<N> = N | string | null | readonly Child<N>[];

/** The nodes of a live menu, in a language. */
export function menuView<N>(menu: LiveMenu, lang: string, tools: Tools<N>): N[];
