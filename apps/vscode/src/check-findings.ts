/** What a check found, in the listing of the shader that it ran. */
import type * as vscode from 'vscode'
import { inText, parseProgram } from '../../../src/asm/index.ts'
import { type Report, reportDiagnostics } from '../../../src/check/index.ts'
import { isContainer } from '../../../src/dxbc/index.ts'
import type { Description } from '../../../src/job/index.ts'
import { editorDiagnostic } from './diagnostics.ts'
import { readUri, uriIn } from './files.ts'
import { listingOfShader } from './listing-uri.ts'
import { listingText } from './listings.ts'

/** Findings of a document. */
export interface DocumentFindings {
  readonly uri: vscode.Uri
  readonly diagnostics: readonly vscode.Diagnostic[]
}

const decoder = new TextDecoder()

/** The findings of a dispatch; undefined where the shader has no document, as one in the description itself, and of frames. */
export async function findingsOf(
  description: Description,
  folder: vscode.Uri,
  report: Report,
): Promise<DocumentFindings | undefined> {
  const name = description.kind === 'job' ? description.job.shader.file : undefined
  const file = name === undefined ? undefined : uriIn(folder, name)
  const bytes = file === undefined ? undefined : await readUri(file).catch(() => undefined)
  if (file === undefined || bytes === undefined) return undefined
  const [uri, text] = isContainer(bytes) ? [listingOfShader(file), listingText(bytes)] : [file, decoder.decode(bytes)]
  const found = inText(parseProgram(text).places, reportDiagnostics(report))
  return { uri, diagnostics: found.map((d) => editorDiagnostic(uri, d)) }
}
