/** Texts of states that belong to a pipeline and do not change: keys of programs have them in each draw. */

const TEXTS = new WeakMap<object, string>()

/** The state as JSON, made once. */
export function stateText(state: object): string {
  let text = TEXTS.get(state)
  if (text === undefined) {
    text = JSON.stringify(state)
    TEXTS.set(state, text)
  }
  return text
}
