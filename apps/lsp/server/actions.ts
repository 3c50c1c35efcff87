import {
  type CodeAction,
  CodeActionKind,
  type CodeActionParams,
  type CodeLens,
  type TextEdit,
} from 'vscode-languageserver'
import {
  type CodeAction as Action,
  codeActions,
  codeLenses,
  type TextEdit as Edit,
} from '../../../src/language/index.ts'
import { diagnosticOf, type FindingStyle } from './diagnostics.ts'
import type { OpenDocument } from './documents.ts'

const KINDS: Readonly<Record<Action['kind'], CodeActionKind>> = {
  quickfix: CodeActionKind.QuickFix,
  refactor: CodeActionKind.RefactorRewrite,
  source: CodeActionKind.Source,
}

export const editsOf = (document: OpenDocument, edits: readonly Edit[]): TextEdit[] =>
  edits.map(({ range, text }) => ({ range: document.range(range), newText: text }))

/** Whether an editor that requests some kinds of actions gets one: `refactor` means `refactor.rewrite` too. */
const isRequested = (only: readonly string[] | undefined, kind: string): boolean =>
  only === undefined || only.some((o) => kind === o || kind.startsWith(`${o}.`))

export function actionsAt(
  document: OpenDocument,
  { range, context }: CodeActionParams,
  style: FindingStyle,
): CodeAction[] {
  const offsets = { start: document.offset(range.start), end: document.offset(range.end) }
  const found = codeActions(document.shader, offsets, (kind) => isRequested(context.only, KINDS[kind]))
  return found.map(({ title, kind, edits, finding, isPreferred }) => ({
    title,
    kind: KINDS[kind],
    ...(isPreferred ? { isPreferred } : {}),
    ...(finding === undefined ? {} : { diagnostics: [diagnosticOf(document, finding, style)] }),
    edit: { changes: { [document.uri]: editsOf(document, edits) } },
  }))
}

/** The commands that clients have for lenses. */
const COMMANDS = {
  run: 'heddle.run',
  check: 'heddle.check',
  debug: 'heddle.debug',
  uses: 'heddle.showReferences',
} as const

export function lensesOf(document: OpenDocument): CodeLens[] {
  return codeLenses(document.shader).map((lens) => {
    const range = document.range(lens.range)
    const places = lens.kind === 'uses' ? lens.uses.map((u) => ({ uri: document.uri, range: document.range(u) })) : []
    const args = lens.kind === 'uses' ? [document.uri, range.start, places] : [document.uri]
    return { range, command: { title: lens.title, command: COMMANDS[lens.kind], arguments: args } }
  })
}
