/** The states of a resource and what leads from one to another, as the documentation draws them. */
export interface StateMachine {
  /** What has the states: "Review". */
  readonly resource: string;
  readonly moves: readonly Move[];
}

interface Move {
  readonly action: string;
  readonly from: string;
  readonly to: string;
}

interface Machine<S extends string, A extends string> {
  readonly states: readonly S[];
  readonly actions: readonly A[];
  /** The state after an action; null if it is not allowed. It is the rule of the engine itself. */
  readonly next: (state: S, action: A) => S | null;
}

/** Declares the states of a resource by asking the rule of the engine about every state and action. */
export const defineStates = <S extends string, A extends string>(
  resource: string,
  { actions, next, states }: Machine<S, A>,
): StateMachine => ({
  resource,
  moves: states.flatMap((from) =>
    actions.flatMap((action) => {
      const to = next(from, action);
      return to === null || to === from ? [] : [{ action, from, to }];
    }),
  ),
});
