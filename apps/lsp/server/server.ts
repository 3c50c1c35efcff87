/** The language server: one body for every transport. */
import {
  type Connection,
  DidChangeConfigurationNotification,
  DocumentHighlightKind,
  ErrorCodes,
  type InitializeParams,
  type InlayHint,
  InlayHintKind,
  type Location,
  MarkupKind,
  type Position,
  ResponseError,
} from 'vscode-languageserver'
import type { TextRange } from '../../../src/asm/index.ts'
import {
  calleesAt,
  callersAt,
  callItemAt,
  declarationsAt,
  definitionsAt,
  formatEdits,
  type HintKind,
  highlightsAt,
  hintTooltip,
  hoverAt,
  inlayHints,
  linkedRangesAt,
  type Rename,
  referencesAt,
  renameEdits,
  renameRange,
} from '../../../src/language/index.ts'
import { actionsAt, editsOf, lensesOf } from './actions.ts'
import { capabilitiesOf } from './capabilities.ts'
import { answerCheckCommand, type CheckListing } from './checks.ts'
import { completion, resolveCompletion, signatureHelp } from './completion.ts'
import { DiagnosticsPublisher } from './diagnostics.ts'
import { DocumentStore, type OpenDocument } from './documents.ts'
import { answerPulls, type ListingFiles } from './pulls.ts'
import { TokenAnswers } from './semantic-tokens.ts'
import { initialSettings, type Settings, withSection } from './settings.ts'
import { callItemOf, foldingsOf, selectionOf, symbolsOf } from './structure.ts'

/** Facts of a host that the protocol does not have. */
export interface ServerOptions {
  /** Where the pages of `docs/` are, with a slash at its end. The client's initialization option `docsUrl` goes before it. */
  readonly docsUrl?: string | undefined
  /** Runs a listing under the checker; without it the server has no such command. */
  readonly check?: CheckListing | undefined
  /** Listings in folders of the workspace; without it findings are of open texts alone. */
  readonly files?: ListingFiles | undefined
}

/** A connection with what is known behind it. */
interface Server {
  readonly connection: Connection
  readonly documents: DocumentStore
  readonly publisher: DiagnosticsPublisher
  readonly tokens: TokenAnswers
  settings: Settings
  /** The client wants nothing more but the end. */
  isShutDown: boolean
}

interface AboutText {
  readonly textDocument: { readonly uri: string }
}
interface AtPosition extends AboutText {
  readonly position: Position
}

/** The open text that a request is about; behind `shutdown` requests are refused, as the protocol wants. */
function openText(s: Server, uri: string): OpenDocument | undefined {
  if (s.isShutDown) throw new ResponseError(ErrorCodes.InvalidRequest, 'the server was shut down')
  return s.documents.get(uri)
}

/** An answer about an open text; null about others. */
const about =
  <P extends AboutText, T>(s: Server, answer: (document: OpenDocument, params: P) => T) =>
  (params: P): T | null => {
    const document = openText(s, params.textDocument.uri)
    return document === undefined ? null : answer(document, params)
  }

/** An answer about a position of an open text. */
const at = <P extends AtPosition, T>(s: Server, answer: (document: OpenDocument, position: number, params: P) => T) =>
  about<P, T>(s, (document, params) => answer(document, document.offset(params.position), params))

const locations = (document: OpenDocument, ranges: readonly TextRange[]): Location[] =>
  ranges.map((range) => ({ uri: document.uri, range: document.range(range) }))

/** A refusal is what the editor shows of an error. */
function valueOrRefusal<T>(renamed: Rename<T>): T | ResponseError<void> {
  return 'value' in renamed ? renamed.value : new ResponseError(ErrorCodes.InvalidRequest, renamed.reason)
}

function answerHover(s: Server): void {
  s.connection.onHover(
    at(s, (document, position) => {
      const hover = hoverAt(document.shader, position)
      if (hover === undefined) return null
      const { docsUrl } = s.settings
      const more = hover.page === undefined || docsUrl === undefined ? '' : `\n\n[Reference](${docsUrl}${hover.page})`
      return { contents: { kind: MarkupKind.Markdown, value: hover.text + more }, range: document.range(hover.range) }
    }),
  )
}

function answerCompletion(s: Server): void {
  const { connection } = s
  connection.onCompletion(at(s, (document, position) => completion(document, position, s.settings.hasSnippets)))
  connection.onCompletionResolve(resolveCompletion)
  connection.onSignatureHelp(at(s, signatureHelp))
}

const HIGHLIGHTS = {
  text: DocumentHighlightKind.Text,
  read: DocumentHighlightKind.Read,
  write: DocumentHighlightKind.Write,
} as const

function answerNavigation(s: Server): void {
  const { connection } = s
  connection.onDefinition(at(s, (document, p) => locations(document, definitionsAt(document.shader, p))))
  connection.onDeclaration(at(s, (document, p) => locations(document, declarationsAt(document.shader, p))))
  connection.onReferences(
    at(s, (document, position, { context }) =>
      locations(document, referencesAt(document.shader, position, context.includeDeclaration)),
    ),
  )
  connection.onDocumentHighlight(
    at(s, (document, position) =>
      highlightsAt(document.shader, position).map((h) => ({
        range: document.range(h.range),
        kind: HIGHLIGHTS[h.kind],
      })),
    ),
  )
  connection.languages.onLinkedEditingRange(
    at(s, (document, position) => {
      const ranges = linkedRangesAt(document.shader, position).map((r) => document.range(r))
      return ranges.length === 0 ? null : { ranges, wordPattern: '[A-Za-z]+\\d*' }
    }),
  )
}

function answerRename(s: Server): void {
  const { connection } = s
  connection.onPrepareRename(
    at(s, (document, position) => {
      const range = valueOrRefusal(renameRange(document.shader, position))
      return range instanceof ResponseError ? range : document.range(range)
    }),
  )
  connection.onRenameRequest(
    at(s, (document, position, { newName }) => {
      const edits = valueOrRefusal(renameEdits(document.shader, position, newName))
      return edits instanceof ResponseError ? edits : { changes: { [document.uri]: editsOf(document, edits) } }
    }),
  )
}

function answerStructure(s: Server): void {
  const { connection } = s
  connection.onDocumentSymbol(about(s, symbolsOf))
  connection.onFoldingRanges(about(s, foldingsOf))
  connection.onSelectionRanges(
    about(s, (document, { positions }) => positions.map((p) => selectionOf(document, document.offset(p)))),
  )
  connection.onCodeLens(about(s, (document) => lensesOf(document, s.settings)))
}

function answerCalls(s: Server): void {
  const { callHierarchy } = s.connection.languages
  callHierarchy.onPrepare(
    at(s, (document, position) => {
      const item = callItemAt(document.shader, position)
      return item === undefined ? null : [callItemOf(document, item)]
    }),
  )
  callHierarchy.onIncomingCalls(({ item }) => {
    const document = openText(s, item.uri)
    if (document === undefined) return null
    const calls = callersAt(document.shader, document.offset(item.selectionRange.start))
    return calls.map((c) => ({ from: callItemOf(document, c.item), fromRanges: c.sites.map((r) => document.range(r)) }))
  })
  callHierarchy.onOutgoingCalls(({ item }) => {
    const document = openText(s, item.uri)
    if (document === undefined) return null
    const calls = calleesAt(document.shader, document.offset(item.selectionRange.start))
    return calls.map((c) => ({ to: callItemOf(document, c.item), fromRanges: c.sites.map((r) => document.range(r)) }))
  })
}

function answerTokens(s: Server): void {
  const { semanticTokens } = s.connection.languages
  const none = { data: [] }
  semanticTokens.on(about(s, (document) => s.tokens.full(document)) as () => typeof none)
  semanticTokens.onDelta(({ textDocument, previousResultId }) => {
    const document = openText(s, textDocument.uri)
    return document === undefined ? none : s.tokens.full(document, previousResultId)
  })
  semanticTokens.onRange(({ textDocument, range }) => {
    const document = openText(s, textDocument.uri)
    if (document === undefined) return none
    return s.tokens.range(document, { start: document.offset(range.start), end: document.offset(range.end) })
  })
}

/** Data of a hint, until the editor requests its details. */
interface HintData {
  readonly uri: string
  readonly version: number
  readonly position: number
  readonly kind: HintKind
}

function answerHints(s: Server): void {
  const { inlayHint } = s.connection.languages
  inlayHint.on(
    about(s, (document, { range }) => {
      const offsets = { start: document.offset(range.start), end: document.offset(range.end) }
      const { uri, shader } = document
      return inlayHints(shader, offsets, s.settings.hints).map(({ position, label, kind, isBefore }): InlayHint => {
        const data: HintData = { uri, version: shader.version, position, kind }
        const padding = isBefore ? { paddingRight: true } : { paddingLeft: kind !== 'names' }
        return { position: document.position(position), label, kind: InlayHintKind.Type, ...padding, data }
      })
    }),
  )
  inlayHint.resolve((hint) => {
    const data = hint.data as HintData | undefined
    const document = data === undefined ? undefined : openText(s, data.uri)
    if (data === undefined || document?.shader.version !== data.version) return hint
    const value = hintTooltip(document.shader, data.position, data.kind)
    return value === undefined ? hint : { ...hint, tooltip: { kind: MarkupKind.Markdown, value } }
  })
}

function answerChanges(s: Server): void {
  const { connection } = s
  connection.onDocumentFormatting(about(s, (document) => editsOf(document, formatEdits(document.shader))))
  connection.onDocumentRangeFormatting(
    about(s, (document, { range }) => {
      const offsets = { start: document.offset(range.start), end: document.offset(range.end) }
      return editsOf(document, formatEdits(document.shader, offsets))
    }),
  )
  connection.onCodeAction(about(s, (document, params) => actionsAt(document, params, s.settings)))
}

/** The settings of the section `heddle`, where the client answers for them. */
async function readSettings(s: Server): Promise<void> {
  s.settings = withSection(s.settings, await s.connection.workspace.getConfiguration('heddle'))
  void s.connection.languages.inlayHint.refresh().catch(() => {})
}

/** The shader that a listing is of, from editors of binaries. */
interface ContainerParams {
  readonly uri: string
  readonly base64: string
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))
}

function followSettings(s: Server, hasConfiguration: boolean, canRegister: boolean): void {
  const { connection } = s
  connection.onInitialized(() => {
    if (canRegister) void connection.client.register(DidChangeConfigurationNotification.type, { section: 'heddle' })
    if (hasConfiguration) void readSettings(s)
  })
  connection.onDidChangeConfiguration(({ settings }) => {
    if (hasConfiguration) void readSettings(s)
    else s.settings = withSection(s.settings, (settings as { heddle?: unknown } | null)?.heddle)
  })
  connection.onNotification('heddle/container', ({ uri, base64 }: ContainerParams) => {
    s.documents.setContainer(uri, bytesOf(base64))
    s.publisher.schedule(uri)
    if (s.settings.pullsFindings) void connection.languages.diagnostics.refresh().catch(() => {})
  })
}

/** What depends on abilities of the host: checks, and findings that the client requests. */
function answerByHost(s: Server, { check, files }: ServerOptions, folders: readonly string[]): void {
  const { connection, documents, publisher, settings } = s
  const text = (uri: string) => openText(s, uri)
  if (check !== undefined) answerCheckCommand({ connection, publisher, check, openText: text })
  if (!settings.pullsFindings) return
  const workspace = files !== undefined && settings.hasWorkspaceFindings ? { files, folders } : undefined
  answerPulls({ connection, documents, publisher, openText: text, workspace })
}

/** The folders that the client has open. */
function foldersOf({ workspaceFolders, rootUri }: InitializeParams): readonly string[] {
  if (workspaceFolders) return workspaceFolders.map((f) => f.uri)
  return rootUri === null ? [] : [rootUri]
}

/** Answers a client until it ends the connection. */
export function startServer(connection: Connection, options: ServerOptions = {}): void {
  const documents = new DocumentStore()
  const publisher = new DiagnosticsPublisher(connection, documents)
  const tokens = new TokenAnswers()
  connection.onInitialize((params) => {
    const s: Server = {
      connection,
      documents,
      publisher,
      tokens,
      settings: initialSettings(params, options.docsUrl),
      isShutDown: false,
    }
    publisher.style = s.settings
    connection.onShutdown(() => {
      s.isShutDown = true
    })
    const { workspace } = params.capabilities
    followSettings(
      s,
      workspace?.configuration === true,
      workspace?.didChangeConfiguration?.dynamicRegistration === true,
    )
    for (const part of [
      ...[answerHover, answerCompletion, answerNavigation, answerRename, answerStructure],
      ...[answerCalls, answerTokens, answerHints, answerChanges],
    ])
      part(s)
    answerByHost(s, options, foldersOf(params))
    return capabilitiesOf(s.settings, { canCheck: options.check !== undefined, hasFiles: options.files !== undefined })
  })
  documents.listen(
    connection,
    (uri) => publisher.schedule(uri),
    (uri) => {
      tokens.forget(uri)
      publisher.clear(uri)
    },
  )
  connection.listen()
}
