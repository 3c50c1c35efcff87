/**
 * What editors are told of a shader's text: functions over a document, one file for each thing that an editor asks.
 * `openDocument` reads a text; the rest are questions about it.
 *
 * Invariants: nothing throws or hangs on any text; positions are UTF-16 code units from 0; answers are plain data; what
 * takes time is worked out once for each document and only when asked for.
 * It knows no protocol and keeps no state between versions of a text: `apps/lsp` does.
 */
export { type DocumentOptions, lineAt, lineStarts, openDocument, type ShaderDocument } from './document.ts'
export { assemblerFindings, ruleFindings, type TextFinding } from './findings.ts'
export { type Hover, hoverAt } from './hover.ts'
