/** Findings of Heddle as those of the editor. */
import * as vscode from 'vscode'
import type { Diagnostic, Place } from '../../../src/diagnostic/index.ts'

const SEVERITIES = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  hint: vscode.DiagnosticSeverity.Information,
} as const

/** The range of a place in a text; what has no place there stands at its first line. */
export function rangeOf(place: Place | undefined): vscode.Range {
  const [line, column, length] = place?.kind === 'text' ? [place.line - 1, place.column - 1, place.length] : [0, 0, 1]
  return new vscode.Range(line, column, line, column + length)
}

/** A finding of a document whose places are in its text. */
export function editorDiagnostic(uri: vscode.Uri, found: Diagnostic): vscode.Diagnostic {
  const { place, severity, code, message, notes, related = [] } = found
  const shown = new vscode.Diagnostic(rangeOf(place), [message, ...notes].join('\n'), SEVERITIES[severity])
  shown.code = code
  shown.source = 'heddle'
  shown.relatedInformation = related.map(
    (r) => new vscode.DiagnosticRelatedInformation(new vscode.Location(uri, rangeOf(r.place)), r.message),
  )
  return shown
}
