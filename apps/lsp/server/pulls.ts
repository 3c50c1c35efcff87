/** Findings that the client requests: of a text, and of all listings of the workspace. */
import {
  type Connection,
  DocumentDiagnosticReportKind,
  type FullDocumentDiagnosticReport,
  type WorkspaceDiagnosticReport,
  type WorkspaceDocumentDiagnosticReport,
} from 'vscode-languageserver'
import { allFindings } from '../../../src/language/index.ts'
import { type DiagnosticsPublisher, diagnosticOf } from './diagnostics.ts'
import { type DocumentStore, documentOf, type OpenDocument } from './documents.ts'

/** A listing in a file of the workspace. */
export interface ListingFile {
  readonly uri: string
  /** Another text when the file has changed. */
  readonly stamp: string
}

/** Listings in files of the workspace. */
export interface ListingFiles {
  /** The listings below folders, which are given as addresses. */
  list(folders: readonly string[]): Promise<readonly ListingFile[]>
  /** The text of a file; undefined where it cannot be read. */
  read(uri: string): Promise<string | undefined>
}

/** What requests for findings are answered with. */
interface PullParts {
  readonly connection: Connection
  readonly documents: DocumentStore
  readonly publisher: DiagnosticsPublisher
  readonly openText: (uri: string) => OpenDocument | undefined
  /** Where findings of closed files are wanted: the files, and the folders to look in. */
  readonly workspace?: { readonly files: ListingFiles; readonly folders: readonly string[] } | undefined
}

const { Full, Unchanged } = DocumentDiagnosticReportKind
const NOTHING: FullDocumentDiagnosticReport = { kind: Full, items: [] }

async function fileReport(
  { publisher, workspace }: PullParts,
  { uri, stamp }: ListingFile,
  previous: string | undefined,
): Promise<WorkspaceDocumentDiagnosticReport> {
  if (stamp === previous) return { uri, version: null, kind: Unchanged, resultId: stamp }
  const text = await workspace?.files.read(uri)
  if (text === undefined) return { uri, version: null, ...NOTHING }
  const document = documentOf(uri, text)
  const items = allFindings(document.shader).map((f) => diagnosticOf(document, f, publisher.style))
  return { uri, version: null, kind: Full, resultId: stamp, items }
}

/** Open texts as they are in the editor, other listings as they are in their files; files that went have no findings. */
async function workspaceItems(
  parts: PullParts,
  previous: ReadonlyMap<string, string>,
  isCanceled: () => boolean,
): Promise<WorkspaceDocumentDiagnosticReport[]> {
  const { documents, publisher, workspace } = parts
  const items = documents.uris().flatMap((uri): WorkspaceDocumentDiagnosticReport[] => {
    const document = documents.get(uri)
    if (document === undefined) return []
    return [{ uri, version: document.shader.version ?? null, ...publisher.answer(document, previous.get(uri)) }]
  })
  const files = (await workspace?.files.list(workspace.folders)) ?? []
  const done = new Set(items.map((i) => i.uri))
  for (const file of files) {
    if (done.has(file.uri)) continue
    if (isCanceled()) return items
    done.add(file.uri)
    items.push(await fileReport(parts, file, previous.get(file.uri)))
  }
  const gone = [...previous.keys()].filter((uri) => !done.has(uri))
  return [...items, ...gone.map((uri) => ({ uri, version: null, ...NOTHING }))]
}

/** Answers both requests. */
export function answerPulls(parts: PullParts): void {
  const { diagnostics } = parts.connection.languages
  diagnostics.on(({ textDocument, previousResultId }) => {
    const document = parts.openText(textDocument.uri)
    return document === undefined ? NOTHING : parts.publisher.answer(document, previousResultId)
  })
  if (parts.workspace === undefined) return
  diagnostics.onWorkspace(async ({ previousResultIds }, token): Promise<WorkspaceDiagnosticReport> => {
    const previous = new Map(previousResultIds.map(({ uri, value }) => [uri, value]))
    return { items: await workspaceItems(parts, previous, () => token.isCancellationRequested) }
  })
}
