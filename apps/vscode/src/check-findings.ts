/** What a check found, in the documents of the editor: in the listings of shaders, and at the commands of a description. */
import * as vscode from 'vscode'
import { inText, type ProgramText, parseProgram, textPlaceOf } from '../../../src/asm/index.ts'
import { NO_STATEMENT, type Report, type ReportFinding, whoText } from '../../../src/check/index.ts'
import type { Diagnostic } from '../../../src/diagnostic/index.ts'
import { isContainer } from '../../../src/dxbc/index.ts'
import { shaderFindings } from '../../../src/host/index.ts'
import { type DescribedShader, type Description, placeInJson, shadersOf } from '../../../src/job/index.ts'
import { editorDiagnostic, rangeOf } from './diagnostics.ts'
import { readText, readUri, uriIn } from './files.ts'
import { listingOfShader } from './listing-uri.ts'
import { listingText } from './listings.ts'

/** Findings of a document; those of earlier checks go. */
export interface DocumentFindings {
  readonly uri: vscode.Uri
  readonly diagnostics: readonly vscode.Diagnostic[]
}

/** A shader that has a document: its own file, or the listing of it. */
interface ShownShader {
  readonly described: DescribedShader
  readonly uri: vscode.Uri
  readonly text: ProgramText
}

const decoder = new TextDecoder()

async function shownShader(described: DescribedShader, folder: vscode.Uri): Promise<ShownShader | undefined> {
  const { file: name } = described.source
  const file = name === undefined ? undefined : uriIn(folder, name)
  const bytes = file === undefined ? undefined : await readUri(file).catch(() => undefined)
  if (file === undefined || bytes === undefined) return undefined
  const [uri, text] = isContainer(bytes) ? [listingOfShader(file), listingText(bytes)] : [file, decoder.decode(bytes)]
  return { described, uri, text: parseProgram(text).places }
}

/** The shader of a finding of a frame. */
const isAbout = ({ described }: ShownShader, { command, stage }: ReportFinding): boolean =>
  described.uses?.some((use) => use.pipeline === command?.pipeline && use.stage === stage) === true

/** A finding of a frame at its command, with the instruction in the listing beside it. */
function atCommand(text: string, f: ReportFinding, shaders: readonly ShownShader[]): vscode.Diagnostic {
  const { code, severity, message, notes, command, site } = f
  const place = placeInJson(text, command?.path ?? '$')
  const shader = shaders.find((s) => isAbout(s, f))
  const found: Diagnostic = {
    code,
    severity,
    message,
    notes: [whoText(site, command), ...notes],
    ...(place && { place }),
  }
  const shown = editorDiagnostic(shader?.uri ?? vscode.Uri.parse('about:blank'), found)
  const at = site.statement === NO_STATEMENT ? undefined : { kind: 'statement' as const, index: site.statement }
  const inListing = shader === undefined || at === undefined ? undefined : textPlaceOf(shader.text, at)
  if (shader !== undefined && inListing !== undefined) {
    const location = new vscode.Location(shader.uri, rangeOf(inListing))
    shown.relatedInformation = [new vscode.DiagnosticRelatedInformation(location, 'the instruction')]
  }
  return shown
}

/** What keeps a description from running, where it says so. */
function ofDescription(text: string, uri: vscode.Uri, { diagnostics }: Report): readonly vscode.Diagnostic[] {
  return diagnostics.flatMap((d) => {
    const place = d.place?.kind === 'path' ? placeInJson(text, d.place.path) : undefined
    return place === undefined || d.severity === 'hint' ? [] : [editorDiagnostic(uri, { ...d, place })]
  })
}

/** The findings in each document: shaders in the description itself have none, and are spoken of there. */
export async function findingsOf(
  description: Description,
  file: vscode.Uri | undefined,
  folder: vscode.Uri,
  report: Report,
): Promise<readonly DocumentFindings[]> {
  const shown = await Promise.all(shadersOf(description).map((s) => shownShader(s, folder)))
  const shaders = shown.filter((s) => s !== undefined)
  const byDocument = new Map<string, { uri: vscode.Uri; diagnostics: vscode.Diagnostic[] }>()
  const add = (uri: vscode.Uri, diagnostics: readonly vscode.Diagnostic[]): void => {
    const known = byDocument.get(uri.toString())
    if (known === undefined) byDocument.set(uri.toString(), { uri, diagnostics: [...diagnostics] })
    else known.diagnostics.push(...diagnostics)
  }
  for (const { described, uri, text } of shaders) {
    const found = inText(text, shaderFindings(report, described))
    add(
      uri,
      found.map((d) => editorDiagnostic(uri, d)),
    )
  }
  if (file !== undefined) {
    const text = await readText(file)
    add(file, ofDescription(text, file, report))
    const ofCommands = report.findings.filter((f) => f.command !== undefined || shaders.length === 0)
    add(
      file,
      ofCommands.map((f) => atCommand(text, f, shaders)),
    )
  }
  return [...byDocument.values()]
}

/** Shows findings in place of those of earlier checks of the same documents. */
export function showFindings(shown: vscode.DiagnosticCollection, found: readonly DocumentFindings[] = []): void {
  for (const { uri, diagnostics } of found) shown.set(uri, diagnostics)
}
