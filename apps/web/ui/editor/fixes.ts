/** Findings of the language server in the editor, with the fixes that are offered. */
import { type Action, forEachDiagnostic, type Diagnostic as Lint } from '@codemirror/lint'
import type { ChangeSpec, EditorState, Text } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import type { ServerDiagnostic, ServerFix } from './language.ts'

/** What the server offers for the findings of one text. */
export interface Fixes {
  /** Another one for each text. */
  readonly number: number
  readonly uri: string
  readonly found: readonly ServerFix[]
}

type Place = ServerDiagnostic['range']['start']

const positionOf = (doc: Text, { line, character }: Place): number => {
  if (line >= doc.lines) return doc.length
  const { from, to } = doc.line(line + 1)
  return Math.min(to, from + character)
}

function apply(view: EditorView, doc: Text, uri: string, fix: ServerFix): void {
  // What was typed since has moved the places.
  if (view.state.doc !== doc) return
  const changes = (fix.edit?.changes?.[uri] ?? []).map(({ range, newText }): ChangeSpec => {
    return { from: positionOf(doc, range.start), to: positionOf(doc, range.end), insert: newText }
  })
  view.dispatch({ changes, userEvent: 'input.fix' })
  view.focus()
}

const isSame = (a: ServerDiagnostic, b: ServerDiagnostic): boolean =>
  a.code === b.code &&
  a.message === b.message &&
  a.range.start.line === b.range.start.line &&
  a.range.start.character === b.range.start.character

function actionsOf(doc: Text, found: ServerDiagnostic, fixes: Fixes | undefined): readonly Action[] {
  const own = fixes?.found.filter((f) => f.diagnostics?.some((d) => isSame(d, found))) ?? []
  return own.map((fix) => ({ name: fix.title, apply: (view) => apply(view, doc, fixes!.uri, fix) }))
}

/** Hints are not shown: what has no effect is grayed by other editors. */
export const isShown = ({ severity }: ServerDiagnostic): boolean => (severity ?? 1) <= 2

/** What the language server says, where the text still has the place. */
export function servedLints(
  { doc }: EditorState,
  served: readonly ServerDiagnostic[],
  fixes: Fixes | undefined,
): Lint[] {
  return served.flatMap((found): Lint[] => {
    const { range, severity, code, message } = found
    if (range.end.line >= doc.lines || !isShown(found)) return []
    const from = positionOf(doc, range.start)
    const to = Math.max(from, positionOf(doc, range.end))
    const actions = actionsOf(doc, found, fixes)
    return [{ from, to, severity: severity === 2 ? 'warning' : 'error', message, source: `${code ?? ''}`, actions }]
  })
}

/** Applies the first fix of the finding that the cursor is at; false where there is none. */
export function fixAt(view: EditorView): boolean {
  const { head } = view.state.selection.main
  const line = view.state.doc.lineAt(head)
  let best:
    | { readonly action: Action; readonly from: number; readonly to: number; readonly distance: number }
    | undefined
  forEachDiagnostic(view.state, ({ actions }, from, to) => {
    const [action] = actions ?? []
    if (action === undefined || to < line.from || from > line.to) return
    const distance = head < from ? from - head : Math.max(0, head - to)
    if (best === undefined || distance < best.distance) best = { action, from, to, distance }
  })
  best?.action.apply(view, best.from, best.to)
  return best !== undefined
}
