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
  type CodeLens as Lens,
} from '../../../src/language/index.ts'
import { CHECK_COMMAND } from './checks.ts'
import { diagnosticOf, type FindingStyle } from './diagnostics.ts'
import type { OpenDocument } from './documents.ts'
import type { Settings } from './settings.ts'

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

type Commands = Readonly<Partial<Record<Lens['kind'], string>>>

/** The commands that clients have for lenses. */
const CLIENT_COMMANDS: Commands = {
  run: 'heddle.run',
  check: 'heddle.check',
  debug: 'heddle.debug',
  uses: 'heddle.showReferences',
}

/** Those that the server carries out itself. */
const SERVER_COMMANDS: Commands = { check: CHECK_COMMAND }

/** The lenses of a text for which there is a command, of the client or of the server. */
export function lensesOf(document: OpenDocument, { hasCommands }: Settings): CodeLens[] {
  const commands = hasCommands ? CLIENT_COMMANDS : SERVER_COMMANDS
  return codeLenses(document.shader).flatMap((lens): CodeLens[] => {
    const command = commands[lens.kind]
    if (command === undefined) return []
    const range = document.range(lens.range)
    const places = lens.kind === 'uses' ? lens.uses.map((u) => ({ uri: document.uri, range: document.range(u) })) : []
    const args = lens.kind === 'uses' ? [document.uri, range.start, places] : [document.uri]
    return [{ range, command: { title: lens.title, command, arguments: args } }]
  })
}
