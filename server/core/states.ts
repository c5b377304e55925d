/** The states of a resource and what leads from one to another, as the documentation draws them. */
export interface StateMachine {
  /** What has the states: "Review". */
  readonly resource: string;
  /** The collection of its documents, and their member with the state. */
  readonly collection: string;
  readonly member: "status" | "state";
  readonly moves: readonly Move[];
}

/** What follows from an action: one state, one of several, or null for none or the same. */
type Target<S> = S | readonly S[] | null;
/** From which states an action is allowed, and what follows. */
type Step<S> = readonly [from: readonly S[], to: Target<S>];

const movesTo = <S extends string>(action: string, from: S, to: Target<S>): readonly Move[] => {
  const targets = to === null ? [] : typeof to === "string" ? [to] : to;
  return targets.flatMap((next) => (next === from ? [] : [{ action, from, to: next }]));
};

/** A table of transitions: the rules of an engine read it, and the documentation draws it. */
export interface Transitions<S extends string, A extends string> extends StateMachine {
  /** Whether a state allows an action. */
  readonly allows: (action: A, state: S) => boolean;
  /** States that allow an action. */
  readonly from: (action: A) => readonly S[];
}

/** Declares the states of the documents of a collection by a table of actions. */
export function defineTransitions<S extends string, A extends string>(
  resource: string,
  { collection, member = "status", steps }: Stored & { readonly steps: Readonly<Record<A, Step<S>>> },
): Transitions<S, A> {
  const rows = Object.entries<Step<S>>(steps);
  return {
    resource,
    collection,
    member,
    from: (action) => steps[action][0],
    allows: (action, state) => steps[action][0].includes(state),
    moves: rows.flatMap(([action, [from, to]]) => from.flatMap((state) => movesTo(action, state, to))),
  };
}

interface Stored {
  readonly collection: string;
  readonly member?: StateMachine["member"];
}

interface Move {
  readonly action: string;
  readonly from: string;
  readonly to: string;
}

interface Machine<S extends string, A extends string> extends Stored {
  readonly states: readonly S[];
  readonly actions: readonly A[];
  /** The state after an action, or those that can follow; null if it is not allowed. It is the rule of the engine itself. */
  readonly next: (state: S, action: A) => Target<S>;
}

/** Declares the states of a resource by asking the rule of the engine about every state and action. */
export const defineStates = <S extends string, A extends string>(
  resource: string,
  { actions, collection, member = "status", next, states }: Machine<S, A>,
): StateMachine => ({
  resource,
  collection,
  member,
  moves: states.flatMap((from) => actions.flatMap((action) => movesTo(action, from, next(from, action)))),
});
