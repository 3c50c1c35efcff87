/**
 * The answers of a language server as functions over a document: one file for each feature of the protocol.
 * `openDocument` reads a text; the rest are questions about it. `program/` has what they share: registers with their
 * places, the flow of values, blocks; `names/` the names of reflection.
 *
 * Invariants: nothing throws or hangs on any text; positions are UTF-16 code units from 0; answers are plain data; what
 * takes time is worked out once for each document and only when requested; of an earlier version of the text, where it is
 * given, what did not change is taken over, and the answers are those of reading the text alone.
 * It depends on no protocol and holds no documents: `apps/lsp` does.
 */
export { type CodeAction, codeActions, fixesOf } from './actions.ts'
export { type Call, type CallItem, calleesAt, callersAt, callItemAt } from './calls.ts'
export { type Completion, completionAt, TRIGGER_CHARACTERS } from './completion/completion.ts'
export type { CompletionItem } from './completion/item.ts'
export { type DocumentOptions, lineAt, lineStarts, openDocument, type ShaderDocument } from './document.ts'
export {
  allFindings,
  assemblerFindings,
  inDocument,
  movedFindings,
  ruleFindings,
  type TextFinding,
  unnecessaryFindings,
} from './findings.ts'
export { formatEdits } from './format.ts'
export { type Hover, hoverAt } from './hover/hover.ts'
export { mnemonicText } from './hover/instruction.ts'
export { HINT_KINDS, type HintKind, hintTooltip, type InlayHint, inlayHints } from './inlay-hints.ts'
export { availability, stagesText, syntaxOf, type WordKind, wordKindOf } from './instruction-text.ts'
export { type CodeLens, codeLenses } from './lenses.ts'
export {
  declarationsAt,
  definitionsAt,
  type Highlight,
  highlightsAt,
  linkedRangesAt,
  referencesAt,
} from './navigation.ts'
export { applyEdits, type Rename, renameEdits, renameRange, type TextEdit } from './rename.ts'
export { type SignatureHelp, signatureHelpAt } from './signature-help.ts'
export { type DocumentSymbol, documentSymbols, type Folding, foldings, selectionsAt } from './structure.ts'
export { TOKEN_MODIFIERS, TOKEN_TYPES, type Token, type TokenType, tokensIn } from './tokens.ts'
