/** The debug adapter of the editor: the server of `apps/dap` in the extension's own process, over files of the workspace. */
import type { DebugProtocol as P } from '@vscode/debugprotocol'
import * as vscode from 'vscode'
import { diagnostic, failure, type Outcome } from '../../../src/diagnostic/index.ts'
import { debug } from '../../../src/host/index.ts'
import type { DebugSession } from '../../../src/session/index.ts'
import { isSameSource, sourceNames } from '../../../src/source/index.ts'
import { type AdapterHost, DebugAdapter, type LaunchArguments, sessionOptions } from '../../dap/index.ts'
import { descriptionOf, subjectOf } from './descriptions.ts'
import { folderOf, nameOf, readUri, withFiles } from './files.ts'
import { type ListingLines, listingLines } from './listing-lines.ts'

/** What `program` of a launch configuration names: a path of this computer, or an address. */
const uriOfProgram = (program: string): vscode.Uri =>
  /^[a-z][\w+.-]+:/i.test(program) ? vscode.Uri.parse(program, true) : vscode.Uri.file(program)

/** How a document is named in messages: by its path where it is a file of this computer, else by its address. */
const pathOf = (uri: vscode.Uri): string => (uri.scheme === 'file' ? uri.fsPath : uri.toString())

/** What was opened for a launch request. */
interface Opened {
  readonly listing?: ListingLines
  /** The user's own copies of sources, by the names that debug data has. */
  readonly sources: ReadonlyMap<string, string>
}

/** The user's own copy of each source that has the same bytes as the one compiled. */
async function ownSources(session: DebugSession, folder: vscode.Uri): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  if (session.run.map.origin === 'listing') return found
  for (const file of session.run.map.files) {
    for (const name of sourceNames(file, ['.'])) {
      const uri = vscode.Uri.joinPath(folder, name.replaceAll('\\', '/'))
      const bytes = await readUri(uri).catch(() => undefined)
      if (bytes === undefined || isSameSource(file, bytes) !== true) continue
      found.set(file.name, pathOf(uri))
      break
    }
  }
  return found
}

async function openSession(args: LaunchArguments): Promise<{ session: Outcome<DebugSession>; opened: Opened }> {
  const uri = subjectOf(uriOfProgram(args.program ?? ''))
  const folder = folderOf(uri)
  const { value: description, diagnostics } = await descriptionOf(uri).catch((e: unknown) => {
    // What the editor's files throw: a file that is not there, a folder.
    const reason = e instanceof Error ? e.message : String(e)
    return failure([diagnostic('job-file', `cannot read ${nameOf(uri)}: ${reason}`)])
  })
  const nothing: Opened = { sources: new Map() }
  if (description === undefined) return { session: failure(diagnostics), opened: nothing }
  const { value: session, files } = await withFiles(folder, (host) => debug(description, host, sessionOptions(args)))
  if (session.value === undefined) return { session, opened: nothing }
  const listing = await listingLines([uri, ...files.values()], session.value)
  const sources = await ownSources(session.value, folder)
  return { session, opened: { ...(listing === undefined ? {} : { listing }), sources } }
}

/** Requests that name lines of a source. */
const WITH_LINES: ReadonlySet<string> = new Set(['setBreakpoints', 'breakpointLocations', 'gotoTargets'])

type Body = Record<string, unknown>

const isBody = (x: unknown): x is Body => typeof x === 'object' && x !== null

/** Messages between the editor, which shows documents, and the server, which has its own listing. */
export class EditorDebugAdapter implements vscode.DebugAdapter {
  readonly #messages = new vscode.EventEmitter<vscode.DebugProtocolMessage>()
  readonly onDidSendMessage = this.#messages.event
  readonly #adapter: DebugAdapter
  #opened: Opened = { sources: new Map() }
  /** Requests about the document of the listing, whose answers have lines without a source. */
  readonly #aboutListing = new Set<number>()

  constructor() {
    const host: AdapterHost = {
      open: async (args) => {
        const { session, opened } = await openSession(args)
        this.#opened = opened
        return session
      },
      findSource: (file) => this.#opened.sources.get(file.name),
    }
    this.#adapter = new DebugAdapter(host, (message) => this.#messages.fire(this.#forEditor(message)))
  }

  handleMessage(message: vscode.DebugProtocolMessage): void {
    this.#adapter.handle(this.#forServer(message as P.Request))
  }

  dispose(): void {
    this.#adapter.handle({ seq: 0, type: 'request', command: 'disconnect', arguments: {} })
    this.#messages.dispose()
  }

  /** A request in the server's lines, where it is about the document of the listing. */
  #forServer(request: P.Request): P.Request {
    const { listing } = this.#opened
    const args = request.arguments as Body | undefined
    const source = args?.source as P.Source | undefined
    if (listing === undefined || args === undefined || !WITH_LINES.has(request.command)) return request
    if (source?.path === undefined || uriOfProgram(source.path).toString() !== listing.uri.toString()) return request
    this.#aboutListing.add(request.seq)
    const line = (n: unknown): unknown => (typeof n === 'number' ? (listing.toListing.get(n) ?? n) : n)
    // A breakpoint on a line without an instruction goes to the next one that has one, as the server would do.
    const lines = [...listing.toListing.keys()].sort((a, b) => a - b)
    const nextLine = (n: number): number => listing.toListing.get(lines.find((l) => l >= n) ?? n) ?? n
    const breakpoints = (args.breakpoints as P.SourceBreakpoint[] | undefined)?.map((b) => ({
      ...b,
      line: nextLine(b.line),
    }))
    return {
      ...request,
      arguments: {
        ...args,
        source: { name: LISTING, path: LISTING },
        ...('line' in args ? { line: line(args.line) } : {}),
        ...('endLine' in args ? { endLine: line(args.endLine) } : {}),
        ...(breakpoints === undefined ? {} : { breakpoints }),
      },
    }
  }

  /** A message in lines of the document. */
  #forEditor(message: P.ProtocolMessage): vscode.DebugProtocolMessage {
    const { listing } = this.#opened
    if (listing === undefined) return message
    const { body, request_seq: answered } = message as P.Response
    const isAbout = message.type === 'response' && this.#aboutListing.delete(answered)
    const source: P.Source = {
      name: pathOf(listing.uri).split('/').at(-1)!.replace(/\?.*$/, ''),
      path: pathOf(listing.uri),
    }
    const line = (n: unknown): unknown => (typeof n === 'number' ? (listing.toDocument.get(n) ?? n) : n)
    const moved = (x: unknown, isOfListing: boolean): unknown => {
      if (Array.isArray(x)) return x.map((item) => moved(item, isOfListing))
      if (!isBody(x)) return x
      const own = isBody(x.source) ? x.source.name === LISTING : isOfListing
      const entries = Object.entries(x).map(([key, value]): [string, unknown] => {
        if (own && (key === 'line' || key === 'endLine')) return [key, line(value)]
        if (key === 'source' && own && isBody(value)) return [key, source]
        return [key, moved(value, isOfListing)]
      })
      return Object.fromEntries(entries)
    }
    return { ...message, ...(body === undefined ? {} : { body: moved(body, isAbout) }) }
  }
}

/** The name of the server's own listing. */
const LISTING = 'listing.asm'
